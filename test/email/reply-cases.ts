/** Texts of replies as mail programs write them: what it is, the text, and what the sender wrote. */
export type ReplyCase = [what: string, text: string, reply: string | null]

const written = 'Yes, please.'
const marked = '> Will it come?\n> Thank you'
const plain = 'Will it come?\nThank you'

/** The line that Gmail, Apple Mail and Thunderbird write above a quote, by language. */
const attributions: [language: string, line: string][] = [
  ['en', 'On Mon, Nov 23, 2026 at 10:00 AM Ann Lee <ann@b.example> wrote:'],
  ['en, broken', 'On Mon, Nov 23, 2026 at 10:00 AM Ann Lee of the Very Long Name <\nann@b.example> wrote:'],
  ['de', 'Am Mo., 23. Nov. 2026 um 10:00 Uhr schrieb Ann Lee <ann@b.example>:'],
  ['fr', 'Le lun. 23 nov. 2026 à 10:00, Ann Lee <ann@b.example> a écrit :'],
  ['es', 'El lun, 23 nov 2026 a las 10:00, Ann Lee (<ann@b.example>) escribió:'],
  ['it', 'Il giorno lun 23 nov 2026 alle ore 10:00 Ann Lee <ann@b.example> ha scritto:'],
  ['nl', 'Op ma 23 nov 2026 om 10:00 schreef Ann Lee <ann@b.example>:'],
  ['pt', 'Ann Lee <ann@b.example> escreveu (segunda, 23/11/2026 à(s) 10:00):'],
  ['pt-BR', 'Em seg., 23 de nov. de 2026 às 10:00, Ann Lee <ann@b.example> escreveu:'],
  ['da', 'Den man. 23. nov. 2026 kl. 10.00 skrev Ann Lee <ann@b.example>:'],
  ['no', 'man. 23. nov. 2026 kl. 10:00 skrev Ann Lee <ann@b.example>:'],
  ['sv', 'Den mån 23 nov. 2026 kl 10:00 skrev Ann Lee <ann@b.example>:'],
  ['fi', 'ma 23. marrask. 2026 klo 10.00 Ann Lee (ann@b.example) kirjoitti:'],
  ['et', 'Kuupäev E, 23. november 2026 kell 10:00 kirjutas Ann Lee <ann@b.example>:'],
  ['lv', 'pirmd., 2026. g. 23. nov., plkst. 10:00 — lietotājs Ann Lee (<ann@b.example>) rakstīja:'],
  ['lt', '2026-11-23, pr, 10:00 Ann Lee <ann@b.example> rašė:'],
  ['pl', 'pon., 23 lis 2026 o 10:00 Ann Lee <ann@b.example> napisał(a):'],
  ['cs', 'po 23. 11. 2026 v 10:00 odesílatel Ann Lee <ann@b.example> napsal:'],
  ['sk', 'po 23. 11. 2026 o 10:00 Ann Lee <ann@b.example> napísal(a):'],
  ['hu', 'Ann Lee <ann@b.example> ezt írta (időpont: 2026. nov. 23., H, 10:00):'],
  ['ro', 'În lun., 23 nov. 2026 la 10:00, Ann Lee <ann@b.example> a scris:'],
  ['tr', 'Ann Lee <ann@b.example>, 23 Kas 2026 Pzt, 10:00 tarihinde şunu yazdı:'],
  ['el', 'Στις Δευ 23 Νοε 2026 στις 10:00 π.μ., ο χρήστης Ann Lee <ann@b.example> έγραψε:'],
  ['ru', 'пн, 23 нояб. 2026 г. в 10:00, Ann Lee <ann@b.example>:'],
  ['uk', 'пн, 23 лист. 2026 р. о 10:00 Ann Lee <ann@b.example> пише:'],
  ['bg', 'На пн, 23.11.2026 г. в 10:00 Ann Lee <ann@b.example> написа:'],
  ['ja', '2026年11月23日(月) 10:00 Ann Lee <ann@b.example>:'],
  ['zh', 'Ann Lee <ann@b.example> 于2026年11月23日周一 10:00写道：'],
  ['zh-TW', 'Ann Lee <ann@b.example> 於 2026年11月23日 週一 上午10:00寫道：'],
  ['ko', '2026년 11월 23일 (월) 오전 10:00, Ann Lee <ann@b.example>님이 작성:'],
  [
    'he',
    '\u202bבתאריך יום ב׳, 23 בנוב׳ 2026 ב-10:00 מאת \u202aAnn Lee\u202c\u200f <\u202aann@b.example\u202c\u200f>:\u202c',
  ],
  ['ar', 'في الاثنين، ٢٣ نوفمبر ٢٠٢٦ في ١٠:٠٠ ص تمت كتابة ما يلي بواسطة Ann Lee\u200f <ann@b.example>:'],
  ['vi', 'Vào Th 2, 23 thg 11, 2026 vào lúc 10:00 Ann Lee <ann@b.example> đã viết:'],
  ['Apple, without an address', 'On 23 Nov 2026, at 10:00, Ann Lee wrote:'],
  ['Thunderbird, de', 'Am 23.11.26 um 10:00 schrieb Ann Lee:'],
  ['Yahoo, fr', 'Le lundi 23 novembre 2026 à 10:00:00 UTC+1, Ann Lee <ann@b.example> a écrit\u202f:'],
  ['Notes', 'Ann Lee <ann@b.example> wrote on 11/23/2026 10:00:00 AM:'],
]

/** The fields that Outlook writes above a quote, by language: author, date, recipient, subject. */
const fields: [language: string, names: string][] = [
  ['en', 'From: Sent: To: Subject:'],
  ['en, bold', '*From:* *Sent:* *To:* *Subject:*'],
  ['de', 'Von: Gesendet: An: Betreff:'],
  ['fr', 'De :|Envoyé :|À :|Objet :'],
  ['es', 'De: Enviado: Para: Asunto:'],
  ['it', 'Da: Inviato: A: Oggetto:'],
  ['nl', 'Van: Verzonden: Aan: Onderwerp:'],
  ['pt', 'De: Enviado: Para: Assunto:'],
  ['da', 'Fra: Sendt: Til: Emne:'],
  ['sv', 'Från: Skickat: Till: Ämne:'],
  ['fi', 'Lähettäjä: Lähetetty: Vastaanottaja: Aihe:'],
  ['pl', 'Od: Wysłano: Do: Temat:'],
  ['ru', 'От: Отправлено: Кому: Тема:'],
  ['uk', 'Від: Надіслано: Кому: Тема:'],
  ['cs', 'Od: Odesláno: Komu: Předmět:'],
  ['hu', 'Feladó: Elküldve: Címzett: Tárgy:'],
  ['ro', 'De la: Trimis: Către: Subiect:'],
  ['tr', 'Gönderen: Gönderildi: Kime: Konu:'],
  ['el', 'Από: Στάλθηκε: Προς: Θέμα:'],
  ['zh', '发件人: 发送时间: 收件人: 主题:'],
  ['ja', '差出人: 送信日時: 宛先: 件名:'],
]

function fieldBlock(names: string): string {
  const all = names.includes('|') ? names.split('|') : names.match(/[^:]+:\*?/g)
  const values = ['Ann Lee <ann@b.example>', '23 11 2026 10:00', 'Bob <bob@c.example>', 'Your order']
  return (all ?? []).map((name, i) => `${name.trim()} ${values[i]}`).join('\n')
}

/** Texts that only look like a quote: all of them stays. */
const alike: [what: string, text: string][] = [
  ['words that only look alike', 'From: here on\nit is fine.\nHe wrote: no.'],
  ['a rule of dashes', 'One\n-----\nTwo'],
  ['a heading between dashes', 'Hello\n\n--- Options ---\nThe first\n\n--- Prices ---\nTen'],
  ['a journey', 'Please book this:\n\nFrom: Berlin\nTo: Paris\nDate: 5 May 2026\n\nThank you, Bob'],
  ['a form', 'Name: Bob\nDate: 5 May 2026 10:00\nSubject: parts\n\nI need ten of them.'],
  [
    'a rule of two dashes',
    'I have two questions.\n--\nFirst: when does it come, and can you say it by phone?\nSecond: what is it?',
  ],
  ['what somebody wrote', 'On 20 November the auditor wrote:\n\nThe figures are wrong.\n\nWhat do you say?'],
  ['a comparison', 'We need\n>= 5 of them\nand soon.'],
  ['a call', 'Please call Ann <ann@b.example> at 10:30 with this:\n\nit is late.'],
  ['a list', 'As I wrote at 10:30 the list is:\n\none\ntwo'],
  ['a date', '23.11.2026 10:00: Ann <ann@b.example> comes:\n\nplease wait.'],
  ['sent from', 'The parts that were\nsent from my heart.'],
]

/** Replies: what stands in front of the quote is what was written. */
export const replyCases: ReplyCase[] = [
  ...attributions.flatMap(([language, line]): ReplyCase[] => [
    [`${language}: above a marked quote`, `${written}\n\n${line}\n\n${marked}\n`, written],
    [`${language}: above a quote without marks`, `${written}\n\n${line}\n\n${plain}\n`, written],
    [`${language}: an answer below`, `${line}\n${marked}\n\n${written}`, written],
  ]),
  ...fields.flatMap(([language, names]): ReplyCase[] => [
    [
      `Outlook, ${language}`,
      `${written}\r\n\r\n${fieldBlock(names).replaceAll('\n', '\r\n')}\r\n\r\n${plain}`,
      written,
    ],
    [`Outlook with a rule, ${language}`, `${written}\n\n${'_'.repeat(32)}\n${fieldBlock(names)}\n\n${plain}`, written],
  ]),
  ...alike.map(([what, text]): ReplyCase => [what, text, text]),
  ['a text that quotes nothing', 'Hello\n\nAda', 'Hello\n\nAda'],
  [
    'a line that was broken in two',
    `Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Ann\n<a@b.example> wrote:\n\n> Will you?`,
    'Yes.',
  ],
  ['an answer below the quote', 'On Mon, Ann wrote:\n> Will you?\n\nYes.', 'Yes.'],
  ['answers between quotes', '> One?\nYes.\n> Two?\nNo.', 'Yes.\nNo.'],
  ['a verb on its own line', 'Ja.\n\nAm 1.1.2026 um 10:00 schrieb Ann\nschrieb:\n\nKommst du?', 'Ja.'],
  [
    'a line with > above the quote',
    `Take this:\n> 3 parts\nThanks\n\nOn Mon, Ann <a@b.example> wrote:\n${marked}`,
    'Take this:\n> 3 parts\nThanks',
  ],
  ['a divider', 'Yes.\n-----Original Message-----\nWill you?', 'Yes.'],
  ['a divider in Turkish', 'Evet.\n-----Özgün İleti-----\nGelir misin?', 'Evet.'],
  [
    'Outlook with many recipients',
    `Yes.\n\nFrom: Ann\nSent: Monday\nTo: a <a@b.example>;\n b <b@b.example>;\n c <c@b.example>;\n d\nSubject: x\n\nOld`,
    'Yes.',
  ],
  ['a divider in Danish', 'Ja.\n-----Oprindelig meddelelse-----\nKommer du?', 'Ja.'],
  [
    'a divider of QQ',
    '好的\n\n------------------ 原始邮件 ------------------\n发件人: "Ann"<ann@b.example>\n\n你来吗',
    '好的',
  ],
  ['a forwarded mail', 'See below.\n\n---------- Forwarded message ---------\nFrom: Ann\n\nHello', 'See below.'],
  ['a signature', 'Yes.\n-- \nBob\nChief', 'Yes.'],
  ['a signature without its blank', 'Yes.\n--\nBob\nChief', 'Yes.'],
  ['what a phone adds', 'Yes.\n\nSent from my iPhone', 'Yes.'],
  ['what a phone adds, de', 'Ja.\n\nVon meinem iPhone gesendet', 'Ja.'],
  ['what a phone adds, ja', 'はい\n\niPhoneから送信', 'はい'],
  ['nothing but a quote', '> Will you?\n', '> Will you?'],
  [
    'nothing but a forwarded mail',
    '---------- Forwarded message ---------\nFrom: Ann\n\nHello',
    '---------- Forwarded message ---------\nFrom: Ann\n\nHello',
  ],
  ['nothing but a signature', 'Sent from my iPhone', 'Sent from my iPhone'],
  ['nothing', ' \n', null],
]
