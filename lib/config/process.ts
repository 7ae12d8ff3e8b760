import { z } from 'zod'
import { flag, ms, text } from './values.ts'

export const processes = {
  MILLRACE_DATA: text.default('.data').describe('Folder for embedded data, dev.json and temporary files'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum level of log lines'),
  PROCESS_NAME: z.string().default('millrace').describe('Name of this process in log lines'),
  SHUTDOWN_GRACE_MS: ms
    .default(10_000)
    .describe('Time in milliseconds for running requests and jobs to finish after SIGTERM'),
  SHUTDOWN_DELAY_MS: ms
    .max(300_000)
    .default(0)
    .describe(
      'Delay in milliseconds before shutdown. During this time, the ingress still accepts requests while /readyz reports that it is not ready. Use 10000 behind a load balancer.',
    ),
  START_HELD: flag
    .default(false)
    .describe(
      'Load the process, but start it only when standard input ends. `npm start` loads processes in this way while their database is starting.',
    ),
  TOUR: flag.default(true).describe('Run the tour on a new data folder'),
}
