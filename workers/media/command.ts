import ffmpeg, { type AudioVideoFilter, type FfmpegCommand, type FilterSpecification } from 'fluent-ffmpeg'

export type Filter = AudioVideoFilter

export type FilterGraph = FilterSpecification[]

export interface Input {
  /** A `file:` URL, or another source of the input's format. */
  source: string
  options: string[]
}

export const withOptions = (options: string[], input: Input): Input => ({
  ...input,
  options: [...options, ...input.options],
})

/**
 * Creates an ffmpeg command line with these inputs. fluent-ffmpeg only builds the command line. Its own runner would
 * start ffmpeg outside the sandbox, several times to query formats and codecs. Options apply to the last named output.
 */
export function createCommand(...inputs: Input[]): FfmpegCommand {
  const command = ffmpeg()
  for (const { source, options } of inputs) {
    command.input(source)
    if (options.length > 0) command.inputOptions(...options)
  }
  return command
}

export const argumentsOf = (command: FfmpegCommand): string[] => command._getArguments().map(String)

/**
 * Returns the `-map` option for a stream such as `0:a:0`. The library's own `map` adds brackets, which are valid only
 * for filter outputs.
 */
export const mapStream = (stream: string): [string, string] => ['-map', stream]

export function chain(filters: Filter[], from: string[], ...to: string[]): FilterGraph {
  const last = filters.length - 1
  return filters.map((filter, i) => ({
    ...filter,
    inputs: i === 0 ? from : `${to[0]}_${i}`,
    outputs: i === last ? to : `${to[0]}_${i + 1}`,
  }))
}
