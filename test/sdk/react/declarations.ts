export interface Declaration {
  tag: string
  component: string
  attributes: Record<string, { name: string; write(value: unknown): string | undefined } | 'property'>
  events: Record<string, string>
}

const names = ['bot', 'chat', 'guard', 'inbox', 'player', 'preferences', 'webhooks']

/** Imports a module of the components. Its path is no literal, because only the SDK is compiled with types of browsers. */
export const imported = async (path: string): Promise<Record<string, unknown>> =>
  await import(new URL(`../../../sdk/node/src/${path}`, import.meta.url).href)

/** Returns the declaration of each element. */
export const declarations = async (): Promise<Declaration[]> =>
  await Promise.all(names.map(async (name) => (await imported(`react/${name}.ts`))[name] as Declaration))
