/** mjml comes without types: the one function of it that is used. */
declare module 'mjml' {
  interface MjmlOptions {
    ignoreIncludes: boolean
    keepComments: boolean
    minify: boolean
    beautify: boolean
    validationLevel: 'soft'
    fonts: Record<string, string>
  }
  // biome-ignore lint/style/noDefaultExport: what the module exports.
  export default function mjml(
    source: string,
    options: MjmlOptions,
  ): Promise<{ html: string; errors: readonly { message: string; line?: number; tagName?: string }[] }>
}
