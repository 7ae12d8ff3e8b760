export type Keyword = 'stop' | 'start' | 'help'

/** Words that people send alone to stop, start or explain messages. Compared without case, accents and punctuation. */
const words: Readonly<Record<Keyword, string>> = {
  stop: `stop stopall unsubscribe cancel end quit optout revoke stopp abmelden abbestellen arret desabonner desabonnement
    alto parar baja cancelar pare sair annulla basta ferma stoppen afmelden wypisz anuluj rezygnuje avsluta avregistrera
    afmeld avmeld lopeta peru konec odhlasit leiratkozas dezabonare dur iptal стоп отписаться отписка
    відписатися спри διακοπη توقف الغاء הסר 停止 退订 退訂 取消 配信停止 수신거부 중지 berhenti henti ngung huy`,
  start: `start unstop subscribe optin anmelden reprendre inscribir alta iniciar comecar inizia aloita starta старт
    подписаться почати ابدا 开始 開始 시작`,
  help: 'help info hilfe aide ayuda ajuda aiuto pomoc hjalp apua abi помощь помоги допомога βοηθεια مساعدة 帮助 幫助 ヘルプ 도움말',
}

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ı/gu, 'i')
    .replace(/[^\p{L}\p{N}]/gu, '')

const byWord = new Map(
  (Object.keys(words) as Keyword[]).flatMap((keyword) =>
    words[keyword].split(/\s+/u).map((word) => [fold(word), keyword] as const),
  ),
)

/** Returns what a received text asks for. Null unless the text is only one of the words. */
export function findKeyword(text: string): Keyword | null {
  if (text.length > 40) return null
  return byWord.get(fold(text)) ?? null
}
