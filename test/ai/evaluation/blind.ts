import type { Label } from '#tasks/ai/engine.ts'

/**
 * Sets that were written before any of them was measured, in a field of their own. Nothing is tuned to them: a change
 * of the engine that is chosen by their result makes them useless.
 */

/** Labels of a company that rents out flats. */
export const tenantLabels: readonly Label[] = [
  { name: 'heating and water', description: 'Radiators, hot water, leaks and blocked drains' },
  { name: 'electricity', description: 'Power cuts, sockets, lamps and fuses' },
  { name: 'neighbours', description: 'Noise, smells and quarrels in the house' },
  { name: 'rent', description: 'Payments, deposits, increases and yearly bills' },
  { name: 'keys', description: 'Lost keys, locks, the intercom and access to the building' },
]

const examples: Readonly<Record<string, readonly string[]>> = {
  'heating and water': ['The shower is cold.', 'Water drips from the ceiling.', 'The radiator does not get warm.'],
  electricity: ['There is no power in the kitchen.', 'The socket sparks.', 'The light on the stairs is broken.'],
  neighbours: ['They play music all night.', 'Somebody smokes in the hall.', 'The people above me shout at us.'],
  rent: ['When do I get my deposit back?', 'I cannot pay this month.', 'Why is the yearly bill so high?'],
  keys: ['I have lost my key.', 'The front door does not close.', 'The bell does not ring in my flat.'],
}

export const tenantLabelsWithExamples: readonly Label[] = tenantLabels.map((label) => ({
  ...label,
  examples: examples[label.name] ?? [],
}))

/** Messages of tenants with their label. */
export const tenantTickets: readonly (readonly [label: string, text: string])[] = [
  ['heating and water', 'It has been freezing in our bedroom since Monday.'],
  ['heating and water', 'The sink in the bathroom does not empty any more.'],
  ['heating and water', 'There is a wet patch on the wall and it grows every day.'],
  ['heating and water', 'Nothing but lukewarm water comes out of the tap in the morning.'],
  ['electricity', 'Everything went dark when I switched on the washing machine.'],
  ['electricity', 'The bulb in the corridor keeps flickering.'],
  ['electricity', 'I get a small shock whenever I touch the oven.'],
  ['electricity', 'None of the plugs in the living room work.'],
  ['neighbours', 'The couple next door argues loudly until three in the morning.'],
  ['neighbours', 'A dog barks in the flat below whenever its owner is at work.'],
  ['neighbours', 'It stinks of cigarettes whenever I open my window.'],
  ['neighbours', 'The children upstairs run up and down all Sunday.'],
  ['rent', 'My salary comes late, may I transfer the money next week?'],
  ['rent', 'You want 40 euros more from January. Is that legal?'],
  ['rent', 'I moved out in May and still have not received the 900 euros that I left with you.'],
  ['rent', 'Please explain the charge for the caretaker on the statement of last year.'],
  ['keys', 'I have locked myself out and my phone is almost empty.'],
  ['keys', 'Can I have a second fob for the garage for my wife?'],
  ['keys', 'Visitors ring, but I cannot hear or let them in.'],
  ['keys', 'My bag was stolen, and everything to open the house was in it.'],
]

/** Sentences with their language. */
export const spoken: readonly (readonly [language: string, text: string])[] = [
  ['en', 'My train was late again, so I missed the start of the film.'],
  ['de', 'Der Aufzug ist seit gestern kaputt, und niemand geht ans Telefon.'],
  ['fr', 'Nous avons réservé une table pour six personnes près de la fenêtre.'],
  ['es', '¿Podría decirme a qué hora abre la panadería los domingos?'],
  ['it', 'Il mio vicino suona la tromba ogni sera dopo cena.'],
  ['pt', 'Não encontro os meus óculos desde que voltei da praia.'],
  ['nl', 'We zoeken een kleine woning met een tuin aan het water.'],
  ['sv', 'Jag glömde mitt paraply på bussen i morse.'],
  ['da', 'Kan du ikke lige hente noget brød på vejen hjem?'],
  ['fi', 'Naapurin koira herätti meidät taas aikaisin aamulla.'],
  ['pl', 'Wczoraj wieczorem padał śnieg i droga była zamknięta.'],
  ['cs', 'Zítra přijede babička, tak musíme uklidit pokoj.'],
  ['hu', 'A gyerekek a kertben játszanak, amíg mi főzünk.'],
  ['ro', 'Am cumpărat mere și pere de la piață pentru plăcintă.'],
  ['tr', 'Yarın sabah erkenden balık tutmaya gidiyoruz.'],
  ['et', 'Homme hommikul sõidame rongiga Tartusse vanaema juurde.'],
  ['el', 'Το μαγαζί κλείνει νωρίς σήμερα λόγω της γιορτής.'],
  ['uk', 'Мій брат щойно закінчив ремонт на кухні.'],
  ['ja', '明日の会議は十時から始まります。'],
  ['ar', 'وصلت الرسالة متأخرة لأن العنوان كان خاطئا.'],
]

/** Posts that a moderator should see. */
export const rude: readonly string[] = [
  'Nobody in this choir can stand your ugly face, so stay at home.',
  'I know where your kids go to school, be careful.',
  'People from that country should be shipped back like cattle.',
  'You deserve to be beaten up for that goal.',
  'What a worthless piece of trash you are.',
  'Next time I see you I am going to break your legs.',
  'Women are too stupid to drive a tram.',
  'Just end it, the world would be better without you.',
  'Someone ought to burn down their church with them inside.',
  'Send me a picture of you without clothes or I tell your boss.',
  'Your whole family are vermin.',
  'I hope you get cancer and die slowly.',
  'Shut up, you fat pig.',
  'Old people like you should not be allowed to vote or breathe.',
  'We will find you and make you pay with blood.',
  'Only an idiot like you could have baked this.',
  'They are animals, not humans, and should be treated like that.',
  'Keep talking and you will end up in a ditch.',
  'He is a filthy liar and everybody should spit at him.',
  'I want to cut myself until it stops.',
]

/** Posts that need no moderator, some with strong words. */
export const polite: readonly string[] = [
  'Our choir sings in the old church on Saturday.',
  'The school of my kids is closed because of the snow.',
  'That goal was a killer, well played!',
  'I am dying to try this cake.',
  'Please stop sending me so many emails.',
  'The fire in the kitchen was put out quickly, and nobody was hurt.',
  'I do not agree with the new tram line at all.',
  'This recipe is a disaster, my bread was as hard as stone.',
  'Where can I hand in old clothes?',
  'We beat them three to one and celebrated all night.',
  'My grandfather died in May, and I miss him.',
  'How do I get rid of the ants in my garden?',
  'The pigs on the farm are fat and happy.',
  'It is stupid that the ticket machine takes no cards.',
  'I cut my finger while I was chopping onions.',
  'He shot the penalty over the bar.',
  'Does anybody have a spare ladder for the weekend?',
  'I hate it when it rains on a holiday.',
  'Could you tell me who repairs shoes near the station?',
  'The meeting was long, but we found a compromise.',
]
