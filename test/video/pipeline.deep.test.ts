import t from 'tap'
import { videoStack } from '../support/video-stack.ts'
import { becomeReady, specialNames } from './playable.ts'

const stack = await videoStack(t)
await stack.startWorkers()

t.test('what browsers cannot play, or is unlike the rest, becomes ready', (t) => becomeReady(t, stack, specialNames))
