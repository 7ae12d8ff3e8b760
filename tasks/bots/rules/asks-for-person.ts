import { normaliseWords } from './fingerprint.ts'

const phrases = [
  ...[
    'talk to a human',
    'talk to a person',
    'talk to someone',
    'talk to somebody',
    'talk to an agent',
    'talk to your staff',
  ],
  ...[
    'speak to a human',
    'speak to a person',
    'speak to someone',
    'speak to somebody',
    'speak to an agent',
    'speak with a human',
  ],
  ...[
    'speak with a person',
    'speak with someone',
    'speak with an agent',
    'talk with a human',
    'talk with a person',
    'real person',
  ],
  ...['human agent', 'human being please', 'human please', 'live agent', 'customer representative', 'hand me over'],
  ...[
    'mit einem menschen',
    'mit einer person sprechen',
    'mit einem mitarbeiter',
    'mit jemandem sprechen',
    'echten menschen',
  ],
  ...[
    'parler a un humain',
    'parler a une personne',
    'parler a quelqu un',
    'parler a un conseiller',
    'une vraie personne',
  ],
  ...['hablar con una persona', 'hablar con un humano', 'hablar con alguien', 'hablar con un agente', 'persona real'],
  ...[
    'inimesega raakida',
    'raakida inimesega',
    'klienditeenindajaga',
    'поговорить с человеком',
    'позовите оператора',
    'живои человек',
  ],
].map((phrase) => ` ${phrase} `)

/** Longer messages usually contain other questions. */
const mostCharacters = 300

export function asksForPerson(message: string): boolean {
  if (message.length > mostCharacters) return false
  const words = ` ${normaliseWords(message)} `
  return phrases.some((phrase) => words.includes(phrase))
}
