/** Limits of a provider for one address. They apply until the provider’s replies change them. */
export interface Preset {
  provider: string
  connections: number
  perConnection: number
}

const usual: Preset = { provider: 'other', connections: 10, perConnection: 100 }

/** Presets by MX host names, as published by operators of large senders. */
const presets: readonly (Preset & { hosts: RegExp })[] = [
  { provider: 'google', hosts: /(?:^|\.)(?:google|googlemail)\.com$/, connections: 5, perConnection: 50 },
  { provider: 'yahoo', hosts: /(?:^|\.)(?:yahoodns\.net|yahoo\.com|aol\.com)$/, connections: 10, perConnection: 20 },
  { provider: 'outlook', hosts: /(?:^|\.)olc\.protection\.outlook\.com$/, connections: 5, perConnection: 50 },
  {
    provider: 'office365',
    hosts: /(?:^|\.)(?:mail\.protection\.outlook\.com|mx\.microsoft)$/,
    connections: 5,
    perConnection: 50,
  },
  { provider: 'icloud', hosts: /(?:^|\.)(?:icloud|me|apple)\.com$/, connections: 10, perConnection: 5 },
  { provider: 'comcast', hosts: /(?:^|\.)comcast\.net$/, connections: 25, perConnection: 1_000 },
  { provider: 'orange', hosts: /(?:^|\.)(?:orange|wanadoo)\.fr$/, connections: 2, perConnection: 100 },
  {
    provider: 'mimecast',
    hosts: /(?:^|\.)mimecast(?:-offshore)?\.(?:com|co\.za)$/,
    connections: 10,
    perConnection: 100,
  },
  { provider: 'proofpoint', hosts: /(?:^|\.)(?:pphosted|ppe-hosted)\.com$/, connections: 10, perConnection: 100 },
]

export const smarthostPreset: Preset = { provider: 'smarthost', connections: 20, perConnection: 1_000 }

export const simulatorPreset: Preset = { provider: 'simulator', connections: 10, perConnection: 1_000 }

export const findPreset = (host: string): Preset => presets.find(({ hosts }) => hosts.test(host)) ?? usual
