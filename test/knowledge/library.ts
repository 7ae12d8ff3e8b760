import type { HelpArticle } from './help-centre.ts'

/**
 * Pages of a town library, written before any search in them was measured. Nothing in the search is tuned to them: a
 * change of the search that is chosen by their result makes them useless.
 */
export const library: readonly HelpArticle[] = [
  {
    title: 'Joining',
    text: 'Anyone who lives, works or studies in the town can become a member. Bring an identity card and a proof of address to the front desk. Membership is free for people under 18, and 15 euros a year for adults.',
    paraphrase: 'What do I need to sign up?',
    shared: 'Is membership free for people under 18?',
  },
  {
    title: 'Lost cards',
    text: 'Report a missing card at once, so that nobody else can borrow with it. We block it and print a new one for 3 euros. Your loans stay on your account.',
    paraphrase: 'I dropped my plastic pass on the bus and cannot find it.',
    shared: 'What does it cost to print a new card?',
  },
  {
    title: 'Loan periods',
    text: 'Books may be kept for four weeks. Films and magazines are due after one week. Language courses can stay with you for eight weeks.',
    paraphrase: 'How long can I hang on to a novel?',
    shared: 'When are films and magazines due?',
  },
  {
    title: 'Renewals',
    text: 'You can extend a loan twice on the website or by phone. This does not work if somebody else has reserved the title. The new date counts from the day on which you renew.',
    paraphrase: "I haven't finished reading, may I have some more time?",
    shared: 'Can I extend a loan by phone?',
  },
  {
    title: 'Overdue fees',
    text: 'After the due date we charge 20 cents per day and item. Children do not pay. The most that you can owe for one item is 10 euros.',
    paraphrase: 'What is the penalty for bringing things back late?',
    shared: 'What do you charge per day after the due date?',
  },
  {
    title: 'Damaged or lost items',
    text: 'Please do not repair a torn page yourself. Show it to us when you return the book. If a book cannot be used any more, you pay its price plus 5 euros for the new binding.',
    paraphrase: 'My dog chewed up a borrowed paperback.',
    shared: 'Should I repair a torn page?',
  },
  {
    title: 'Reservations',
    text: 'If a title is out on loan, you can put your name on the waiting list. We send a text message as soon as it is back. It is then kept for you on the red shelf for seven days.',
    paraphrase: 'Somebody else has the book that I want.',
    shared: 'For how many days is a title kept on the red shelf?',
  },
  {
    title: 'Returning after hours',
    text: 'When we are closed, drop your items through the flap to the left of the entrance. The flap is emptied at 8 in the morning. Board games do not fit and must be handed in at the desk.',
    paraphrase: 'Can I bring stuff back in the middle of the night?',
    shared: 'Do board games fit through the flap?',
  },
  {
    title: 'Electronic books',
    text: 'With your card you can borrow titles for your tablet or reader. Install the app, choose the town and sign in with the number on the card. Titles disappear from the device by themselves at the end of the loan.',
    paraphrase: 'Is it possible to read on my Kindle?',
    shared: 'Do titles disappear from the device at the end of the loan?',
  },
  {
    title: 'Wireless network',
    text: 'Choose the network "Library-Guest" and accept the terms. The connection ends after three hours, and you can start it again. Streaming is slow in the afternoon, when many people are online.',
    paraphrase: 'How do I get on the internet with my laptop?',
    shared: 'After how many hours does the connection end?',
  },
  {
    title: 'Printing and copying',
    text: 'The machines are on the first floor, next to the newspapers. A page costs 10 cents in black and white and 40 cents in colour. Pay with coins or with your member card.',
    paraphrase: 'I need my boarding pass on paper.',
    shared: 'What does a page in colour cost?',
  },
  {
    title: 'Study rooms',
    text: 'We have six quiet rooms for up to four people. Book a room for up to three hours at the desk or on the website. If you are 15 minutes late, the room goes to others.',
    paraphrase: 'Where can my friends and I prepare for an exam together?',
    shared: 'Can I book a quiet room for four people?',
  },
  {
    title: 'Story time',
    text: 'On Wednesdays at 16:00 we read aloud to children from three to six years. Parents can stay or have a coffee downstairs. No registration is needed.',
    paraphrase: 'Do you offer anything for toddlers?',
    shared: 'On which days do you read aloud to children?',
  },
  {
    title: 'Donations',
    text: 'We are happy to receive books in good condition that are less than five years old. We do not take encyclopaedias or video cassettes. What we cannot use is sold at the flea market in May.',
    paraphrase: 'I am clearing out the attic and have boxes of old thrillers to give away.',
    shared: 'Do you take encyclopaedias or video cassettes?',
  },
  {
    title: 'Home delivery',
    text: 'Volunteers bring books to people who cannot leave their flat because of age or illness. Call us and tell us what you like to read. The service costs nothing.',
    paraphrase: 'My grandmother cannot walk any more, how can she get something to read?',
    shared: 'Do volunteers bring books to people with an illness?',
  },
  {
    title: 'Suggest a purchase',
    text: 'If we do not own a title, tell us with the form on the website. We decide within two weeks. If we buy it, you are the first who may borrow it.',
    paraphrase: 'You should really get the latest book by my favourite author.',
    shared: 'Who may borrow a title first if you buy it?',
  },
  {
    title: 'Loans from other libraries',
    text: 'We can order scientific books and articles from other towns. An order costs 2 euros and takes one to three weeks. Some of these books may only be read in the building.',
    paraphrase: 'I need a rare textbook which you do not have on your shelves.',
    shared: 'Can you order scientific articles from other towns?',
  },
  {
    title: 'Reading history',
    text: 'We delete the record of a loan as soon as you bring the item back. If you want a list of what you have read, you can turn it on in your account. Staff cannot see this list.',
    paraphrase: 'Does anyone know which books I borrowed in the past?',
    shared: 'When do you delete the record of a loan?',
  },
  {
    title: 'Access without steps',
    text: 'A ramp leads to the side door in Mill Lane. A lift goes to all floors. Large-print books and magnifying glasses are next to the information desk.',
    paraphrase: 'I use a wheelchair, can I enter the building?',
    shared: 'Where are large-print books and magnifying glasses?',
  },
  {
    title: 'Food and animals',
    text: 'Drinks in closed bottles are allowed everywhere. Please eat only in the café. Guide dogs are welcome, other animals have to wait outside.',
    paraphrase: 'Am I allowed to have a sandwich while I work?',
    shared: 'Are drinks in closed bottles allowed?',
  },
]

/** Questions of visitors that no page answers. */
export const unansweredByLibrary: readonly string[] = [
  'Are you hiring at the moment?',
  'Who was the architect of the town hall?',
  'Which bus stops nearby?',
  'Can I get married in your reading hall?',
  'What is the capital of Mongolia?',
  'Do you sell stamps?',
  'How many people visited last year?',
  'Can you translate a letter for me?',
  'Who is the director?',
  'Where can I leave my bicycle?',
  'Is there a cash machine in the house?',
  'Can I charge my electric car there?',
  'Do you teach how to sew?',
  'When was the house built?',
  'Could you recommend a good dentist?',
  'What is the weather going to be like?',
  'May I use your logo on a poster?',
  'Do you have a locker for my suitcase?',
  'How do I become a mayor?',
  'Is the swimming pool open today?',
]
