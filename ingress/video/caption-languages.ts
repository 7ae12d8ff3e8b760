import { z } from 'zod'
import { detectLanguage, languageName } from '#tasks/video/rules/captions/languages.ts'
import { getSpeechEngine } from '#tasks/video/rules/captions/speech-engine.ts'
import { route } from '../http/route.ts'

export const list = route({
  method: 'GET',
  path: '/captions/languages',
  summary: 'List languages of automatic captions',
  description: `Returns the speech engine of this installation and the languages that it transcribes. If \`detectsLanguage\` is true, you can also request captions in the language \`${detectLanguage}\`.`,
  scope: 'stream:read',
  beyondContract: true,
  status: 200,
  reply: z
    .object({
      engine: z.string().describe('Name of the speech engine'),
      forSearchOnly: z
        .boolean()
        .describe('True if the words are good enough for a search, but not for captions that you publish'),
      detectsLanguage: z.boolean(),
      languages: z.array(z.object({ language: z.string().describe('BCP 47 language tag'), name: z.string() })),
    })
    .meta({ id: 'video.CaptionLanguages' }),
  async handle({ db }) {
    const { engine, forSearchOnly, detects, languages } = await getSpeechEngine(db)
    const named = languages.map((language) => ({ language, name: languageName(language) }))
    return { engine, forSearchOnly, detectsLanguage: detects, languages: named }
  },
})
