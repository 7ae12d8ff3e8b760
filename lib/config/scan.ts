import { z } from 'zod'
import { concurrency, flag, http, list, port, text } from './values.ts'

export const scan = {
  SCAN_CONCURRENCY: concurrency.default(4).describe('Maximum number of concurrent malware scans per worker'),
  SCAN_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 31 - 2)
    .default(2 ** 30)
    .describe(
      'Maximum size in bytes of a file that is scanned completely. It must be less than 2 GiB, the maximum for ClamAV. Larger files are uploaded in parts and scanned in windows.',
    ),
  SCAN_LARGE_FILES: z
    .enum(['withhold', 'accept'])
    .default('withhold')
    .describe(
      'Verdict on a file above `SCAN_MAX_BYTES` in which no malware was found. `withhold`: `unscannable`, because it was not unpacked. `accept`: `clean`, unless it is an archive, a document, a program or a disk image.',
    ),
  CLAMD_PATH: text.default('/usr/sbin/clamd').describe('clamd executable of the embedded malware scanner'),
  CLAMD_SOCKET: text.optional().describe('Unix socket of clamd. Default: the embedded scanner.'),
  CLAMD_HOST: text.optional().describe('Host of a clamd server, which is reached over TCP instead of a socket'),
  CLAMD_PORT: port.default(3310).describe('Port of the clamd server'),
  FRESHCLAM: flag
    .default(true)
    .describe(
      'Download signatures for the embedded clamd. The signatures need 1.5 GB of memory. Without them, clamd detects only test files.',
    ),
  CLAMAV_MIRROR: http.optional().describe('Mirror of ClamAV’s signatures. Default: ClamAV’s servers.'),
  CLAMAV_SIGNATURE_URLS: list
    .pipe(z.array(http))
    .default([])
    .describe('URLs of additional signature files for the embedded clamd, separated by commas'),
}
