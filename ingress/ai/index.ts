import { area } from '../http/area.ts'

/** Work on text. */
export const ai = area({
  name: 'ai',
  title: 'AI',
  description: 'Answers, summaries, labels and moderation of text.',
  base: '/v1/ai',
  platform: true,
  routes: {},
})
