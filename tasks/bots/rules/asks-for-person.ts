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

/** Requests that are a whole message, apart from polite words. Within a longer sentence, they can mean something else. */
const requests = new Set([
  ...['human', 'a human', 'i want a human', 'i need a human', 'i want a person', 'i need a person', 'i want an agent'],
  ...['i need an agent', 'i want a real human', 'get me a human', 'give me a human', 'operator'],
  ...['ich will einen menschen', 'ich mochte einen menschen', 'ich brauche einen menschen', 'einen menschen'],
  ...['ich will einen mitarbeiter', 'ich brauche einen mitarbeiter', 'ich mochte einen mitarbeiter'],
  ...['je veux un humain', 'je voudrais un humain', 'un humain', 'je veux une personne', 'je veux un conseiller'],
  ...[
    'quiero una persona',
    'quiero un humano',
    'necesito una persona',
    'necesito un humano',
    'una persona',
    'un humano',
  ],
  ...['tahan inimest', 'ma tahan inimest', 'soovin inimest', 'ma soovin inimest'],
  ...['оператор', 'нужен оператор', 'мне нужен оператор', 'нужен человек', 'мне нужен человек'],
])

const polite = new Set(
  'hello hi please now just hallo bitte jetzt sofort bonjour s il vous plait svp hola por favor ahora palun пожалуиста'.split(
    ' ',
  ),
)

/** Longer messages usually contain other questions. */
const mostCharacters = 300

export function asksForPerson(message: string): boolean {
  if (message.length > mostCharacters) return false
  const words = normaliseWords(message)
  const request = words
    .split(' ')
    .filter((word) => !polite.has(word))
    .join(' ')
  return requests.has(request) || phrases.some((phrase) => ` ${words} `.includes(phrase))
}
