/** Words with which email clients introduce quoted email, in about thirty languages, in lower case. */

export type QuotedField = 'from' | 'sent' | 'to' | 'subject'

const fieldNames: Record<QuotedField, string> = {
  from: 'from|von|de|da|van|fra|från|lähettäjä|saatja|no|nuo|siuntėjas|od|feladó|de la|expéditeur|remitente|mittente|afzender|remetente|nadawca|odesílatel|odosielateľ|pošiljatelj|šalje|от|от кого|отправитель|від|відправник|kimden|gönderen|από|发件人|寄件者|寄件人|差出人|보낸 사람|보낸사람|dari|từ|จาก|מאת|من',
  sent: 'sent|sent at|date|gesendet|datum|envoyé|envoyé le|enviado|enviado el|enviado em|fecha|data|inviato|inviato il|verzonden|verzonden op|sendt|dato|skickat|lähetetty|päivämäärä|päiväys|saadetud|kuupäev|nosūtīts|datums|išsiųsta|wysłano|wysłane|odesláno|odoslané|dátum|elküldve|küldve|trimis|dată|poslano|poslato|отправлено|дата|надіслано|відправлено|изпратено|gönderildi|gönderme tarihi|tarih|στάλθηκε|ημερομηνία|发送时间|日期|寄件日期|傳送日期|送信日時|日付|日時|보낸 날짜|날짜|dikirim|tanggal|đã gửi|ngày|ส่ง|วันที่|נשלח|תאריך|تاريخ الإرسال|التاريخ',
  to: 'to|an|à|a|para|aan|til|till|vastaanottaja|saaja|kellele|kam|kam|do|pro|komu|címzett|către|za|prima|кому|до|kime|alıcı|προς|收件人|宛先|받는 사람|받는사람|kepada|đến|tới|ถึง|אל|إلى',
  subject:
    'subject|betreff|objet|asunto|oggetto|onderwerp|assunto|emne|ämne|aihe|teema|tēma|tema|temat|předmět|predmet|tárgy|subiect|naslov|тема|относно|konu|θέμα|主题|主題|主旨|件名|제목|perihal|subjek|chủ đề|tiêu đề|เรื่อง|נושא|الموضوع',
}

export const quotedFields: ReadonlyMap<string, QuotedField> = new Map(
  (Object.entries(fieldNames) as [QuotedField, string][]).flatMap(([field, names]) =>
    names.split('|').map((name) => [name, field] as const),
  ),
)

/** Verbs in attribution lines. Lines without a verb are recognised by their form. */
export const wroteVerbs: readonly string[] =
  'wrote:|wrote :|wrote on |schrieb|a écrit|escribió|ha scritto|scritto:|schreef|escreveu|skrev|kirjoitti|kirjutas|rakstīja|rašė:|parašė:|napisał|napisała|pisze:|napsal|napísal|ezt írta|írta:|a scris|yazdı|έγραψε|написал|пише:|писал|написа:|je napisao|je napisala|je pisal|写道|寫道|のメッセージ|님이 작성|작성:|menulis:|đã viết|เขียนว่า|מאת|כתב|كتب|تمت كتابة'.split(
    '|',
  )

export const replyHeaderPrefixes: readonly string[] =
  'on |am |le |el |il giorno |il |in data |op |em |den |dnia |w dniu |pe |în |dne |kuupäev |vào |στις |在|في '.split(
    '|',
  )

/** Phrases between dashes, or on their own line, before quoted or forwarded email. */
export const dividerPhrases: readonly string[] =
  "original message|original appointment|forwarded message|forwarded by|begin forwarded message|reply message|ursprüngliche nachricht|originalnachricht|original-nachricht|weitergeleitete nachricht|anfang der weitergeleiteten|message d’origine|message d'origine|message original|message transféré|message d’origine|mensaje original|mensaje reenviado|messaggio originale|messaggio inoltrato|inizio messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|mensagem original|mensagem encaminhada|oprindelig meddelelse|original meddelelse|videresendt meddelelse|oprindelig besked|ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande|opprinnelig melding|videresendt melding|alkuperäinen viesti|välitetty viesti|algne sõnum|wiadomość oryginalna|oryginalna wiadomość|wiadomość przekazana|původní zpráva|pôvodná správa|eredeti üzenet|mesaj original|mesajul original|orijinal mesaj|özgün ileti|вихідне повідомлення|исходное сообщение|пересылаемое сообщение|пересланное сообщение|оригинальное сообщение|початкове повідомлення|оригінал повідомлення|оригинално съобщение|αρχικό μήνυμα|原始邮件|原始郵件|转发邮件|转发的邮件|元のメッセージ|원본 메시지|pesan asli".split(
    '|',
  )

/** Words in footers that phones and email clients add. */
export const footerWords = {
  affixes:
    'sent from|sent with|sent via|get outlook|von meinem|gesendet von|gesendet mit|outlook für|envoyé de|envoyé depuis|envoyé à partir|télécharger outlook|enviado desde|enviado do|enviado de|obtener outlook|obter o outlook|inviato da|scarica outlook|verzonden vanaf|verstuurd vanaf|outlook voor|sendt fra|hent outlook|skickat från|hämta outlook|lähetetty|wysłane z|wysłano z|pobierz outlook|odesláno z|odoslané z|elküldve|trimis de pe|отправлено с|отправлено из|надіслано|gönderildi|στάλθηκε από|发自我的|從我的|から送信|에서 보냄'.split(
      '|',
    ),
  things:
    'iphone|ipad|ipod|android|samsung|galaxy|huawei|xiaomi|redmi|pixel|nokia|htc|oneplus|blackberry|windows phone|outlook|mail for|mail für|yahoo|proton|gmail|mailbird|spark|mobil|mobile|handy|smartphone|telefon|téléphone|teléfono|telefono|telefone|telefoon|puhelime|телефон|手机|手機'.split(
      '|',
    ),
} as const
