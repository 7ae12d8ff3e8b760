import type { Seal } from '#lib/seal.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Admissions, SrtPorts } from '#tasks/live/engine.ts'
import type { MediaTools } from '../../media/media-tools.ts'
import type { LiveOrigin } from '../origin/channel.ts'
import type { Restreams } from '../restream/restreams.ts'

export interface IngestOptions {
  admissions: Admissions
  srtPorts: SrtPorts
  storage: Storage
  origin: LiveOrigin
  restreams: Restreams
  seal: Seal
  media: MediaTools
  nginx: { program: string; module: string }
  ffmpeg: string
  host: string
  port: number
  handshakes: number
  transcodeCores: number
}
