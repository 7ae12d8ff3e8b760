'use client'

import {
  type CSSProperties,
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { loadElement } from '../element-script.ts'
import { attributesOf, type ElementDeclaration } from './declaration.ts'

/** Event handlers of a component: `onOpen` for the event `open`. */
export type Handlers<Events extends object> = {
  [Name in keyof Events & string as `on${Capitalize<Name>}`]?: (
    detail: Events[Name],
    event: CustomEvent<Events[Name]>,
  ) => void
}

export interface CommonProps {
  /** URL of Millrace, such as `https://millrace.example.com`. */
  baseUrl: string
  id?: string
  className?: string
  style?: CSSProperties
  /** Called if the code of the element cannot be loaded. */
  onLoadError?: (error: Error) => void
}

export type WrapperProps<Props extends object, Events extends object> = Props & Handlers<Events> & CommonProps

type Component<Element, Props> = ForwardRefExoticComponent<Props & RefAttributes<Element>>

/** A server has no layout, and React 18 warns about layout effects there. */
const useBeforePaint = typeof document === 'undefined' ? useEffect : useLayoutEffect

/**
 * Returns the React component of an element. The server renders the element, and the browser loads its code from
 * `baseUrl`. The ref of the component is the element.
 */
export function createWrapper<Element extends HTMLElement, Props extends object, Events extends object>(
  declaration: ElementDeclaration<Element, Props, Events>,
): Component<Element, WrapperProps<Props, Events>> {
  const { tag, component, readOnce = [] } = declaration
  const Wrapper = forwardRef<Element, WrapperProps<Props, Events>>(function Wrapper(given, ref) {
    const props = given as WrapperProps<Props, Events>
    const element = useRef<Element>(null)
    const attributes = attributesOf<Props>(declaration, props)
    const key = JSON.stringify(readOnce.map((name) => props[name]))
    useImperativeHandle(ref, () => element.current as Element)
    useAttributes(element, attributes)
    useEvents(element, declaration, props, key)
    useScript(element, declaration, props, key)
    const { id, className, style } = props
    return createElement(tag, { key, ref: element, id, class: className, style, ...hyphenated(props), ...attributes })
  })
  Wrapper.displayName = component
  return Wrapper as unknown as Component<Element, WrapperProps<Props, Events>>
}

/** Returns the `aria-` and `data-` properties. TypeScript accepts them for every component. */
const hyphenated = (props: object): object =>
  Object.fromEntries(Object.entries(props).filter(([name]) => /^(?:aria|data)-/.test(name)))

/**
 * Removes attributes that no longer have a value. React 19 sets a property such as `title` to the text "undefined"
 * instead.
 */
function useAttributes(element: RefObject<HTMLElement | null>, attributes: Record<string, string | undefined>): void {
  const before = useRef(attributes)
  useBeforePaint(() => {
    for (const name of Object.keys(attributes))
      if (attributes[name] === undefined && before.current[name] !== undefined) element.current?.removeAttribute(name)
    before.current = attributes
  })
}

/** Calls the handlers of the latest props. */
function useEvents<Element extends HTMLElement, Props extends object, Events extends object>(
  element: RefObject<Element | null>,
  { events }: ElementDeclaration<Element, Props, Events>,
  props: object,
  key: string,
): void {
  const latest = useRef(props)
  useBeforePaint(() => {
    latest.current = props
  })
  useBeforePaint(() => {
    const ending = new AbortController()
    for (const [name, type] of Object.entries<string>(events)) {
      const handle = (event: Event) => {
        if (event instanceof CustomEvent) handlerOf(latest.current, name)?.(event.detail, event)
      }
      element.current?.addEventListener(type, handle, { signal: ending.signal })
    }
    return () => ending.abort()
  }, [element, events, key])
}

type Handler = (detail: unknown, event?: CustomEvent) => void

const handlerOf = (props: object, name: string): Handler | undefined =>
  (props as Record<string, Handler | undefined>)[`on${name[0]?.toUpperCase()}${name.slice(1)}`]

/** Loads the code of the element, then sets the properties that have no attribute. */
function useScript<Element extends HTMLElement, Props extends object, Events extends object>(
  element: RefObject<Element | null>,
  { tag, script, properties, events }: ElementDeclaration<Element, Props, Events>,
  props: Props & CommonProps,
  key: string,
): void {
  const { baseUrl } = props
  const values = JSON.stringify(properties?.names.map((name) => props[name]))
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  useEffect(() => {
    let isMounted = true
    const set = () => {
      if (isMounted && element.current) properties?.set(element.current, latest.current)
    }
    const fail = (error: Error) => {
      if (!isMounted) return
      latest.current.onLoadError?.(error)
      if ('error' in events) handlerOf(latest.current, 'error')?.({ code: 'network', message: error.message })
    }
    loadElement(tag, script, baseUrl).then(set, fail)
    return () => {
      isMounted = false
    }
  }, [element, baseUrl, key, values])
}
