import type { ProfileName } from './profiles/index.ts'

interface KnownSource {
  url: string
  everySeconds: number
}

const day = 86_400

const estonian = (file: string): KnownSource => ({
  url: `https://avaandmed.ariregister.rik.ee/sites/default/files/avaandmed/ettevotja_rekvisiidid__${file}.zip`,
  everySeconds: day,
})

export const knownSources: Readonly<Partial<Record<ProfileName, KnownSource>>> = {
  ee: estonian('lihtandmed.csv'),
  'ee-general': estonian('yldandmed.json'),
  'ee-officers': estonian('kaardile_kantud_isikud.json'),
  // Updated three times per day (gleif.org, Golden Copy). The URL returns the newest file.
  gleif: {
    url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv',
    everySeconds: day,
  },
  'gleif-relations': {
    url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes/rr/latest.csv',
    everySeconds: day,
  },
  'gleif-exceptions': {
    url: 'https://goldencopy.gleif.org/api/v2/golden-copies/publishes/repex/latest.csv',
    everySeconds: day,
  },
  // Published in the first five working days of a month (download.companieshouse.gov.uk), named by the first day of the
  // month.
  uk: {
    url: 'https://download.companieshouse.gov.uk/BasicCompanyDataAsOneFile-{month}-01.zip',
    everySeconds: day,
  },
}
