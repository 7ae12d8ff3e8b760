import { z } from 'zod'
import { flag, ms, text } from './values.ts'

/** What every process reads. */
export const processes = {
  MILLRACE_DATA: text.default('.data').describe('folder of embedded data, dev.json and scratch'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('log level'),
  PROCESS_NAME: z.string().default('millrace').describe('name of this process in log lines'),
  SHUTDOWN_GRACE_MS: ms.default(10_000).describe('time running requests and jobs get to finish after SIGTERM'),
  SHUTDOWN_DELAY_MS: ms
    .max(300_000)
    .default(0)
    .describe(
      'time before that in which the ingress still takes requests, and /readyz tells balancers to send no more; 10000 behind one',
    ),
  START_HELD: flag
    .default(false)
    .describe(
      'load first, and begin once standard input ends; `npm start` loads processes while their database starts',
    ),
  TOUR: flag.default(true).describe('run the tour on a fresh data folder'),
}
