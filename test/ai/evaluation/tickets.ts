import type { Label } from '#tasks/ai/engine.ts'

/** Labels of an online shop. */
export const labels: readonly Label[] = [
  { name: 'billing', description: 'Invoices, charges, payments and payment methods' },
  { name: 'shipping', description: 'Delivery times, tracking and parcels that have not arrived' },
  { name: 'returns', description: 'Sending a product back, refunds and exchanges' },
  { name: 'account', description: 'Signing in, passwords, profile and deletion of the account' },
  { name: 'technical', description: 'Errors, crashes and slow pages of the app or the website' },
  { name: 'product', description: 'Questions about the features, sizes and materials of a product' },
]

/** Three examples per label. */
const examples: Readonly<Record<string, readonly string[]>> = {
  billing: [
    'Why is there a second charge on my credit card?',
    'Please send me an invoice with our company name.',
    'Can I pay by bank transfer?',
  ],
  shipping: [
    'My package still has not come.',
    'How long does delivery to Finland take?',
    'The tracking number does not show anything.',
  ],
  returns: [
    'I want to send the shoes back.',
    'When do I get my money back for the jacket?',
    'Can I swap this for a larger one?',
  ],
  account: ['I forgot my password.', 'Please delete my profile.', 'The login code never arrives by email.'],
  technical: ['The app crashes when I open it.', 'Your site shows an error page.', 'Pages load very slowly today.'],
  product: ['Is this bag waterproof?', 'What are the dimensions of the table?', 'Does the lamp come with a bulb?'],
}

export const labelsWithExamples: readonly Label[] = labels.map((label) => ({
  ...label,
  examples: examples[label.name] ?? [],
}))

/** Support tickets with their label. */
export const tickets: readonly (readonly [label: string, text: string])[] = [
  ['billing', 'You took the money for my order twice this month.'],
  ['billing', 'My card keeps getting declined at checkout although there is enough balance.'],
  ['billing', 'I need a receipt with the VAT number of our firm for the tax office.'],
  ['billing', 'Why is the total higher than the price that was shown in the cart?'],
  ['billing', 'Do you accept PayPal, or only Visa?'],
  ['shipping', 'I ordered ten days ago and nothing has turned up at my door.'],
  ['shipping', 'Where is my parcel? It has been stuck in Leipzig since Monday.'],
  ['shipping', 'Will it get here before Christmas if I order today?'],
  ['shipping', 'The courier left the box with a neighbour I do not know.'],
  ['shipping', 'Do you also send to the Canary Islands?'],
  ['returns', 'The dress does not suit me. How do I give it back?'],
  ['returns', 'It has been three weeks since you received the item and I still have not been reimbursed.'],
  ['returns', 'I would like to exchange the blue sweater for the green one.'],
  ['returns', 'Who pays the postage if I send the chair back?'],
  ['returns', 'The glass was broken when I opened the box, I want my money back.'],
  ['account', 'I cannot get into my account since I changed my phone.'],
  ['account', 'How do I turn off two-factor authentication?'],
  ['account', 'Please erase all data that you have about me.'],
  ['account', 'I want to use a different email address to log in.'],
  ['account', 'Somebody else seems to have signed in with my password.'],
  ['technical', 'The page stays white after I press the pay button.'],
  ['technical', 'Your Android app freezes whenever I scroll through the photos.'],
  ['technical', 'I get "500 internal server error" on the search page.'],
  ['technical', 'The website takes forever to open in Firefox.'],
  ['technical', 'The filter for colours does nothing when I click it.'],
  ['product', 'Is the jacket warm enough for minus twenty degrees?'],
  ['product', 'What is the sofa cover made of, and can I wash it?'],
  ['product', 'Does this charger work with an iPhone 12?'],
  ['product', 'How tall is the bookshelf?'],
  ['product', 'Which size should I take if I am between M and L?'],
]

/** Texts that fit none of the labels. */
export const unrelated: readonly string[] = [
  'The parliament votes on the new budget on Thursday.',
  'My grandmother bakes an apple cake every Sunday.',
  'Penguins live in the southern hemisphere.',
  'He scored two goals in the second half.',
  'Mozart wrote his first symphony as a child.',
  'It will rain in the mountains tomorrow.',
  'Photosynthesis turns light into chemical energy.',
  'Our train passed three villages before sunset.',
  'She studied history at the university of Tartu.',
  'The volcano erupted in 1883.',
]
