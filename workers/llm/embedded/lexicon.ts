import type { ModerationCategory } from '#tasks/ai/engine.ts'
import { selfHarm, threats } from './threats.ts'

/** A phrase of a category: words separated by single spaces. A weight of 0.5 or more flags a text. */
interface Entry {
  category: ModerationCategory
  weight: number
  pattern: RegExp
}

const person =
  '(?:you|u|him|her|them|everyone|everybody|people|someone|my (?:wife|husband|boss|neighbou?r|ex|girlfriend|boyfriend|family|brother|sister|mother|father|teacher))'
const harm =
  '(?:kill|murder|shoot|stab|strangle|behead|execute|slaughter|beat up|beat|hurt|hang|burn|choke|rape|attack|destroy)'
const will =
  '(?:i|we|they|he|she|someone) (?:am |are |is )?(?:will|ll|shall|gonna|going to|want to|wanna|am going to|m going to|are going to|should|would love to)'
const groups =
  '(?:jews|muslims|christians|blacks|whites|asians|arabs|immigrants|refugees|gays|lesbians|homosexuals|transgenders|trans people|women|gypsies|roma people|foreigners|disabled people)'
const gap = '(?: \\p{L}+){0,3}'
const minor =
  '(?:child|children|kid|kids|minor|minors|underage|toddler|preteen|little (?:girl|boy)|\\d{1,2} year old (?:girl|boy))'
const sex = '(?:sex|sexual|sexually|sexy|naked|nude|nudes|porn|erotic|fuck|fucking|masturbate|molest|rape)'

const entry = (category: ModerationCategory, weight: number, words: string): Entry => ({
  category,
  weight,
  // linear enough: at most 1,000 characters, as sentences are cut
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'u'),
})

/** Phrases by category: English, threats and self-harm in four more languages, and a few in Estonian. */
export const lexicon: readonly Entry[] = [
  ...threats.flatMap((words) => [entry('harassment/threatening', 0.85, words), entry('violence', 0.85, words)]),
  ...selfHarm.flatMap((words) => [entry('self-harm', 0.85, words), entry('self-harm/intent', 0.85, words)]),
  entry('harassment/threatening', 0.85, `${will}${gap} ${harm} ${person}`),
  entry('violence', 0.85, `${will}${gap} ${harm} ${person}`),
  entry(
    'harassment/threatening',
    0.7,
    'you (?:will|are going to|re going to|ll) (?:die|pay for this with your life|regret being born)',
  ),
  entry(
    'harassment/threatening',
    0.8,
    'i know where you (?:live|sleep)|watch your back|you are (?:a )?dead (?:man|woman|meat)?',
  ),
  entry('harassment/threatening', 0.85, 'ma tapan su'),
  entry('violence', 0.85, 'ma tapan su'),
  entry('violence', 0.45, `${harm} (?:${person}|all|every)`),
  entry(
    'violence/graphic',
    0.7,
    '(?:severed|decapitated|dismembered|disembowell?ed|mutilated)(?: \\p{L}+){0,2}|(?:guts|entrails|intestines|brains)(?: \\p{L}+){0,3} (?:spilled|spilling|everywhere|out|splattered)|blood(?: \\p{L}+){0,3} (?:gushed|gushing|sprayed|spurted)',
  ),
  entry(
    'harassment',
    0.75,
    'you (?:are|re) (?:such )?(?:an? )?(?:\\p{L}+ )?(?:idiot|moron|imbecile|retard|loser|pig|scum|trash|garbage|bitch|whore|slut|bastard|asshole|worthless|pathetic|disgusting)',
  ),
  entry(
    'harassment',
    0.8,
    '(?:go |just )?(?:kill yourself|kys|drop dead)|nobody (?:likes|loves) you|everyone hates you|(?:fuck|screw) (?:you|off)|shut the fuck up',
  ),
  entry(
    'harassment',
    0.7,
    'du (?:bist ein )?(?:arschloch|hurensohn|vollidiot|schlampe)|ты (?:идиот|дурак|сука|тварь|мразь)|sa oled (?:idioot|loll|värdjas)',
  ),
  // A swear word is not an attack on a person, so a swear word alone never flags a text.
  entry(
    'harassment',
    0.3,
    'fuck|fucking|fucked|shit|bullshit|bitch|asshole|bastard|dickhead|cunt|damn you|scheiße|блядь|сука|kurat|perse',
  ),
  entry(
    'hate',
    0.85,
    `(?:i |we )?(?:hate|despise|loathe)(?: all)?(?: the)? ${groups}|${groups}${gap} (?:are|should be)${gap} (?:vermin|animals|rats|cockroaches|subhuman|inferior|parasites|scum|filth|disgusting|evil|criminals)|${groups} (?:do not|don t|dont) (?:belong|deserve)`,
  ),
  entry(
    'hate',
    0.75,
    'subhumans?|untermensch(?:en)?|white power|heil hitler|sieg heil|race traitors?|ethnic cleansing (?:is|would be) (?:good|right|needed)|gas the \\p{L}+|kikes?|niggers?|faggots?|trannies|wetbacks?|ausländer raus',
  ),
  entry(
    'hate/threatening',
    0.85,
    `(?:kill|exterminate|gas|eradicate|hang|shoot|burn|deport and kill)(?: all)?(?: the| those)? ${groups}|${groups}${gap} (?:should|must|deserve to|need to)(?: all)? (?:die|be (?:killed|shot|exterminated|hanged|gassed|burned))|gas the \\p{L}+`,
  ),
  entry(
    'hate',
    0.8,
    `(?:kill|exterminate|gas|eradicate)(?: all)?(?: the| those)? ${groups}|${groups}${gap} (?:should|must|deserve to)(?: all)? (?:die|be (?:killed|shot|exterminated|hanged|gassed|burned))`,
  ),
  entry(
    'self-harm',
    0.85,
    '(?:kill|killing|hurt|hurting|cut|cutting|harm|harming|hang|starve) (?:myself|my self)|(?:end|ending|take|taking) my (?:own )?life|suicidal|commit suicide|(?:want|wish|rather)(?: \\p{L}+){0,2} (?:to die|be dead|was dead|were dead)|better off dead|self harm(?:ing)?',
  ),
  entry(
    'self-harm/intent',
    0.85,
    '(?:i|im)(?: \\p{L}+){0,5} (?:kill|killing|hurt|hurting|cut|cutting|harm|harming|hang|starve) (?:myself|my self)|i(?: \\p{L}+){0,5} (?:end|ending|take|taking) my (?:own )?life|i(?: \\p{L}+){0,3} (?:want|wish|would rather)(?: \\p{L}+){0,2} (?:to die|be dead|was dead|were dead)|ma tahan surra',
  ),
  entry('self-harm', 0.85, 'ma tahan surra'),
  entry(
    'self-harm/instructions',
    0.8,
    '(?:how (?:to|do i|can i)|ways? to|best way to|painless(?:ly)?(?: way)?(?: to)?|instructions (?:for|to))(?: \\p{L}+){0,3} (?:kill (?:myself|yourself)|commit suicide|hang (?:myself|yourself)|cut (?:myself|yourself)|end my life|die painlessly|overdose)',
  ),
  entry(
    'illicit',
    0.75,
    '(?:how (?:to|do i|can i)|instructions (?:for|to)|recipe for|guide to|teach me to|where (?:to|can i))(?: \\p{L}+){0,4} (?:meth|methamphetamine|cocaine|heroin|crack|fentanyl|mdma|counterfeit|fake (?:passport|id|money)|stolen (?:cards?|credit cards?)|launder money|pick a lock|hotwire|shoplift|hack (?:into|someone))',
  ),
  entry(
    'illicit',
    0.8,
    '(?:how (?:to|do i|can i)|instructions (?:for|to)|recipe for|guide to|teach me to|where (?:to|can i))(?: \\p{L}+){0,4} (?:pipe bomb|bombs?|explosives?|molotov|nerve agent|ricin|sarin|ghost gun|silencer|grenade|poison someone)',
  ),
  entry(
    'illicit/violent',
    0.8,
    '(?:how (?:to|do i|can i)|instructions (?:for|to)|recipe for|guide to|teach me to|where (?:to|can i))(?: \\p{L}+){0,4} (?:pipe bomb|bombs?|explosives?|molotov|nerve agent|ricin|sarin|ghost gun|silencer|grenade|poison someone|kill someone)',
  ),
  entry(
    'sexual',
    0.7,
    'porn|pornography|blowjob|handjob|cumshot|gangbang|orgasm|masturbat(?:e|ing|ion)|(?:have|having|had) (?:hot |wild )?sex with (?:me|you)|send (?:me )?(?:your )?nudes|suck my (?:dick|cock)|(?:hard|wet|naked|horny) (?:cock|pussy|dick|tits)|erotic(?:a)?',
  ),
  entry('sexual', 0.4, 'sexy|horny|nude|naked|nudes|boobs|tits|dildo'),
  entry(
    'sexual/minors',
    0.9,
    `${sex}(?: \\p{L}+){0,4} ${minor}|${minor}(?: \\p{L}+){0,4} ${sex}|child porn(?:ography)?|jailbait`,
  ),
  entry('sexual', 0.8, `(?:${sex})(?: \\p{L}+){0,4} ${minor}|child porn(?:ography)?|jailbait`),
]

/** Words that show an educational, supportive or reporting context. Such a context halves the weight of a sentence. */
export const mitigatingContext =
  /(?<![\p{L}])(?:prevent|prevention|preventing|hotline|helpline|awareness|education|research|survivors?|victims? of|condemn|condemned|against|combat|illegal|report(?:ed|ing)?|police|court|sentenced|convicted|according to|study|statistics)(?![\p{L}])/u
