import type { PreviewType } from '../files/rules/previewable.ts'
import type { Cost, Mezzanine, Probe } from './rules/transcode/media.ts'
import type { VideoPlan } from './rules/transcode/plan.ts'
import type { Sound } from './rules/transcode/sound-tracks.ts'

export type * from './rules/transcode/media.ts'

/**
 * The tools that the `media` pool lends: every ffmpeg and ffprobe run of the platform.
 *
 * All paths are local. A call ends early with `signal.reason` when its signal aborts, with a `MediaFault` when the input can
 * never work, with an `EngineTrouble` when the same call may work later. A call that fails leaves no half-written output.
 * Glossary: *mezzanine*, the upload remuxed without re-encoding into an indexed file; *chunk*, a run of output frames encoded
 * by one job for all renditions; *segment*, what a player fetches (6 s); *package*, a folder that a player can play.
 */
export interface MediaEngine {
  /** Reads what a file says it holds, decoding nothing but a few first frames. */
  probe(input: string, call: EngineCall): Promise<Probe>
  /** Remuxes an upload into `folder/mezzanine.{mp4,mov,mkv}` and counts what is really there. */
  mezzanine(input: { source: string; folder: string }, call: EngineCall): Promise<Mezzanine>
  /** Joins recordings, whose parameters may differ, into `folder/joined.mp4` without re-encoding; its path. */
  join(input: { files: readonly string[]; folder: string }, call: EngineCall): Promise<string>
  /** Packages the mezzanine as it is (one rendition, `source`); only for what `isCopyable`. */
  packageCopy(input: { mezzanine: Mezzanine; folder: string }, call: EngineCall): Promise<Package>
  /** Encodes a whole sound track, the one at `place`, to `folder/` + `soundFile(place)`, aligned with the first picture. */
  encodeAudio(input: AudioInput, call: EngineCall): Promise<EncodedAudio>
  /** Encodes one chunk for all renditions, to `folder/` + `chunkFile(rendition.name, index)`. */
  encodeChunk(input: ChunkInput, call: EngineCall): Promise<EncodedChunk>
  /** Joins the chunks and the sound that lie in the folder `pieces` into a package in `folder`. */
  packageLadder(input: LadderInput, call: EngineCall): Promise<Package>
  /** Decodes a PNG or JPEG that is to be laid over pictures; throws a `MediaFault` when it cannot be. */
  checkWatermark(path: string, call: EngineCall): Promise<void>
  /**
   * Cuts a stretch of sound for a speech engine: a WAV (16 kHz, mono, 16 bits) of what follows `skip` seconds, at most `most`
   * seconds long; unless it is to be whole, it ends where it is quietest near its end.
   */
  cutSpeech(input: SpeechInput, call: EngineCall): Promise<SpeechStretch>
  /** Writes a JPEG of the picture at `at` seconds of a file, `lines` high at most; false when there is none. */
  frame(input: FrameInput, call: EngineCall): Promise<boolean>
  /** Writes a JPEG of a page of a PDF or of a picture, a stranger's both; false when there is no such page. */
  preview(input: PreviewInput, call: EngineCall): Promise<boolean>
  /** Joins picture and sound, each a file of segments, into one MP4 that plays while it loads, by copy; its bytes. */
  mp4(input: Mp4Input, call: EngineCall): Promise<number>
  /** Writes a JPEG of a representative frame (or the cover of a sound file); false when there is no picture. */
  poster(input: { source: string; probe: Probe; output: string }, call: EngineCall): Promise<boolean>
}

/** What every engine call takes besides its input. */
export interface EngineCall {
  signal: AbortSignal
  /** Told the fraction done, 0 to 1, at most twice a second, never falling. */
  onProgress?: (fraction: number) => void
  /** Wall-clock limit in milliseconds; each call has a generous one by the length of its input. */
  timeout?: number
}

/** A picture laid over every frame. */
export interface Watermark {
  path: string
  position: 'tl' | 'tr' | 'bl' | 'br'
  /** 0.05 to 0.9. */
  opacity: number
}

/** One chunk to encode. */
export interface ChunkInput {
  mezzanine: Mezzanine
  plan: VideoPlan
  /** From 0 to `plan.chunks.count - 1`. */
  index: number
  folder: string
  watermark?: Watermark
  /** Chunks of the film that are not made yet, this one among them: while they keep every slot busy, each runs on its share of the cores. */
  unfinished?: number
}

/** A picture to take out of a file. */
export interface FrameInput {
  source: string
  at: number
  lines: number
  output: string
}

/** What a preview is made of; `size` is the longer side's at most, in pixels, and `output` ends with .jpg. */
export interface PreviewInput {
  source: string
  type: PreviewType
  page: number
  size: number
  output: string
}

/** What becomes one file; a film without sound has none. */
export interface Mp4Input {
  picture: string | null
  sound: string | null
  output: string
}

/** What `packageLadder` joins; `plan` is null for a sound-only file. */
export interface LadderInput {
  pieces: string
  plan: VideoPlan | null
  /** The sound tracks that `pieces` holds. */
  sounds: Sound[]
  folder: string
}

/** Sound to cut a stretch from. */
export interface SpeechInput {
  sound: string
  skip: number
  most: number
  whole: boolean
  folder: string
}

/** A stretch of sound as speech engines take it. */
export interface SpeechStretch {
  path: string
  seconds: number
  /** Whether nothing can be heard in it: speech engines make words up of silence. */
  silent: boolean
}

/** A file that was encoded. */
export interface EncodedFile extends Cost {
  path: string
  bytes: number
  seconds: number
}

/** A sound track to encode. */
export interface AudioInput {
  mezzanine: Mezzanine
  /** Which of its sound tracks; the first by default. */
  place?: number
  /** How long the film is; the mezzanine's own length by default. */
  seconds?: number
  folder: string
}

/** A sound track that was encoded. */
export interface EncodedAudio extends EncodedFile {
  /** Whether nothing of it could be decoded, so that it is silence. */
  undecodable: boolean
}

/** One chunk in all renditions. */
export interface EncodedChunk extends Cost {
  index: number
  /** Frames in each of the files. */
  frames: number
  files: { rendition: string; path: string; bytes: number }[]
}

/** A folder that a player can play, from `master.m3u8`. */
export interface Package extends Cost {
  folder: string
  /** Every file of it, relative to the folder, the master playlist last (publish it last). */
  files: string[]
  bytes: number
  /** Length in seconds. */
  seconds: number
  renditions: PackagedRendition[]
}

/** One media playlist of a package, measured from its segments. */
export interface PackagedRendition {
  /** `1080p` … `360p`, `source`, or `audio`, `audio_2` …. */
  name: string
  playlist: string
  /** 0 by 0 for sound. */
  width: number
  height: number
  /** Frames of picture; 0 for sound. */
  frames: number
  segments: number
  bytes: number
  /** Bits per second of the largest segment and of all. */
  peakBitRate: number
  meanBitRate: number
  /** RFC 6381 codec name. */
  codec: string
  /** Of sound: its language (BCP 47) and what its upload calls it. */
  language?: string | null
  title?: string | null
  /** The playlist of its key frames alone, which only low renditions have. */
  keys?: { playlist: string; peakBitRate: number; meanBitRate: number }
}
