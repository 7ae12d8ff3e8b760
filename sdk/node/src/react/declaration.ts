/** How a property of a React component becomes an attribute of its element. */
export interface Attribute<Value> {
  name: string
  /** Returns the text of the attribute, or undefined if the attribute is not set. */
  write(value: Value | undefined): string | undefined
}

/**
 * Attributes, events and properties of an element. `Props` are the properties of its React component without event
 * handlers. `Events` has the detail of each event.
 */
export interface ElementDeclaration<Element extends HTMLElement, Props extends object, Events extends object> {
  tag: string
  /** Name of the React component. */
  component: string
  /** Path of the element's script on the server. */
  script: string
  attributes: { readonly [Name in keyof Props]-?: Attribute<Exclude<Props[Name], undefined>> | 'property' }
  /** The name of each event at the element. */
  events: { readonly [Name in keyof Events]-?: string }
  /** Properties without an attribute. After the script was loaded and when they change, `set` is called. */
  properties?: { names: readonly (keyof Props)[]; set(element: Element, props: Props): void }
  /** Properties that the element reads only once. If one changes, React creates a new element. */
  readOnce?: readonly (keyof Props)[]
}

export const text = (name: string): Attribute<string> => ({ name, write: (value) => value })

/** An attribute without a value. */
export const flag = (name: string): Attribute<boolean> => ({ name, write: (value) => (value ? '' : undefined) })

/** An attribute whose text is `otherwise` if the value is false. */
export const unless = (name: string, otherwise: string): Attribute<boolean> => ({
  name,
  write: (value) => (value === false ? otherwise : undefined),
})

export const number = (name: string): Attribute<number | string> => ({
  name,
  write: (value) => (value === undefined ? undefined : String(value)),
})

/** An attribute that is empty for true. */
export const flagOrText = (name: string): Attribute<boolean | string> => ({
  name,
  write: (value) => (value === true ? '' : value === false ? undefined : value),
})

/** Returns the attributes of an element. An attribute with `undefined` is not set. */
export function attributesOf<Props extends object>(
  {
    attributes,
  }: { attributes: { readonly [Name in keyof Props]-?: Attribute<Exclude<Props[Name], undefined>> | 'property' } },
  props: Props,
): Record<string, string | undefined> {
  const names = Object.keys(attributes) as (keyof Props)[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const attribute = attributes[name]
      if (attribute === 'property') return []
      return [[attribute.name, (attribute as Attribute<unknown>).write(props[name])]]
    }),
  )
}
