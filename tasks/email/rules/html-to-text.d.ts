/** html-to-text comes without types: the one function of it that is used. */
declare module 'html-to-text' {
  export function convert(html: string, options?: object): string
}
