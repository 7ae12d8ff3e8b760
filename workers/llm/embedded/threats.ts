/**
 * Direct threats and words about self-harm by language: words separated by single spaces, with a space for each
 * apostrophe. A threat must name its target, so "kill the process" does not match.
 */
const gap = (most: number) => `(?: \\p{L}{1,30}){0,${most}}`

const kin =
  '(?:brother|sister|mother|father|mum|mom|dad|family|wife|husband|son|daughter|kids|children|parents|friends?|dog)'
const english = {
  threats: [
    `(?:i|we|they|he|she) (?:will|ll|shall|am going to|m going to|are going to|gonna|want to|wanna)${gap(2)} (?:kill|murder|shoot|stab|strangle|behead|hurt|beat|burn|rape) (?:your|his|her|their) (?:\\p{L}{1,30} )?${kin}`,
    'you (?:will|ll|are going to|re going to) (?:be dead|die)(?! (?:of|from|laughing))',
  ],
  selfHarm: ['i (?:cut|hurt|burned|burnt|harmed) myself(?: again)?(?= on purpose| again| last| every|$)'],
}

const german = {
  threats: [
    `(?:ich|wir|er|sie) (?:werde|werden|wird|will|wollen) (?:dich|euch|ihn|sie|deinen?|deiner|deine|eure|euren)${gap(4)} (?:töten|umbringen|abstechen|erschießen|erstechen|erwürgen|abknallen|totschlagen|ermorden|verprügeln)`,
    `(?:ich|wir) (?:bringe|bringen|steche|stechen|knalle|knallen|schlage|schlagen) (?:dich|euch|ihn|sie|deine|deinen)${gap(3)} (?:um|ab|tot)(?=$| (?:wenn|falls|und|weil))`,
    `(?:du bist|bist du)(?: (?:bald|morgen|heute|gleich|so gut wie))? tot|du wirst(?: \\p{L}{1,30})? sterben`,
  ],
  selfHarm: [
    `ich (?:will|möchte|werde|mag)(?: nur| einfach)? (?:sterben|nicht mehr leben|mich umbringen|mich töten|mir das leben nehmen|mir etwas antun)`,
    'ich (?:habe|hab) mich(?: wieder| heute| gestern| selbst){0,2} (?:geritzt|verletzt mit absicht)|ich ritze mich|selbstmord begehen',
  ],
}

const french = {
  threats: [
    '(?:je vais|on va|nous allons|je veux|ils vont) (?:te|vous|le|la|les) (?:tuer|égorger|poignarder|massacrer|buter|étrangler|abattre|tabasser)(?! (?:aux?|à la) (?:échecs|cartes|jeux?|tennis|foot|dames))',
    `(?:je vais|on va|nous allons|je veux) (?:tuer|égorger|poignarder|massacrer|buter|étrangler|abattre) (?:ton|ta|tes|votre|vos|son|sa|ses) \\p{L}{1,30}`,
    '(?:tu vas|vous allez) (?:mourir|crever)(?! de)',
  ],
  selfHarm: [
    '(?:je veux|j ai envie de|je voudrais|je vais) (?:mourir(?! de)|en finir avec la vie|me suicider|me tuer(?! (?:à|au))|me pendre|mettre fin à mes jours)|je ne veux plus vivre|je me (?:mutile|scarifie)',
  ],
}

const spanish = {
  threats: [
    '(?:te|los|las|lo|la|os|le) (?:voy|vamos|van|va) a (?:matar|apuñalar|degollar|asesinar|estrangular|golpear)',
    '(?:voy|vamos|van) a (?:matar|apuñalar|degollar|asesinar|estrangular)(?:te|los|las|lo|la|os|le)',
    '(?:voy|vamos|van) a (?:matar|apuñalar|degollar|asesinar|estrangular) a (?:tu|tus|su|sus|vuestr[oa]s?|todos|todas|él|ella|ellos)',
    '(?:vas|vais) a morir(?! de)',
  ],
  selfHarm: [
    '(?:quiero|voy a|deseo) (?:morirme|morir(?! de)|matarme|suicidarme|quitarme la vida)|me (?:quiero|voy a) (?:morir(?! de)|matar|suicidar)|no quiero (?:seguir viviendo|vivir(?: más)?$)|me corto (?:los brazos|las venas)',
  ],
}

const strike = '(?:убью|убьём|убьем|зарежу|зарежем|застрелю|застрелим|придушу|задушу|задушим|прирежу|изобью|изобьём)'
const russian = {
  threats: [
    `(?:я|мы)(?: \\p{L}{1,30}){0,2} (?:тебя|вас|его|её|ее|их|всех)${gap(2)} ${strike}`,
    `${strike} (?:тебя|вас|его|её|ее|их|всех|твоего|твою|твоих|вашего|вашу|ваших)`,
    `ты${gap(2)} (?:умрёшь|умрешь|сдохнешь)(?! (?:от|со))|ты покойник`,
  ],
  selfHarm: [
    'не хочу(?: больше)? жить|хочу (?:умереть|сдохнуть|покончить с собой|убить себя)|покончу с собой|убью себя|режу себе (?:вены|руки)|жить не хочется',
  ],
}

const all = [english, german, french, spanish, russian]

export const threats: readonly string[] = all.flatMap((language) => language.threats)

export const selfHarm: readonly string[] = all.flatMap((language) => language.selfHarm)
