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
  useRef,
} from 'react'
import type { MillPlayerElement, MillPlayerEvents, MillPlayerProps as PlayerOptions } from './player.ts'
import { attributesOf, loadPlayer } from './player.ts'

export type {
  MillPlayerChapter,
  MillPlayerElement,
  MillPlayerEvents,
  MillPlayerState,
} from './player.ts'

type Handlers = {
  [Name in keyof MillPlayerEvents as `on${Capitalize<Name>}`]?: (detail: MillPlayerEvents[Name]) => void
}

export interface MillPlayerProps extends PlayerOptions, Handlers {
  id?: string
  className?: string
  style?: CSSProperties
}

const names = [
  ...(['ready', 'play', 'pause', 'time', 'ended', 'error', 'volume'] as const),
  ...(['speed', 'quality', 'captions', 'sound', 'cast'] as const),
] satisfies readonly (keyof MillPlayerEvents)[]

const handlerOf = (props: MillPlayerProps, name: keyof MillPlayerEvents) =>
  props[`on${name[0]?.toUpperCase()}${name.slice(1)}` as keyof Handlers] as ((detail: unknown) => void) | undefined

/**
 * Plays a video with `<mill-player>`. The server renders the element, and the browser loads its code from `baseUrl`. The
 * ref is the element. Its methods work after `onReady`.
 */
export const MillPlayer: ForwardRefExoticComponent<MillPlayerProps & RefAttributes<MillPlayerElement>> = forwardRef<
  MillPlayerElement,
  MillPlayerProps
>(function MillPlayer(props, ref) {
  const element = useRef<MillPlayerElement>(null)
  const latest = useRef(props)
  useImperativeHandle(ref, () => element.current as MillPlayerElement)
  useEffect(() => {
    latest.current = props
  })
  useEvents(element, latest)
  useChapters(element, props)
  const { id, className, style } = props
  return createElement('mill-player', { ref: element, id, class: className, style, ...attributesOf(props) })
})

function useEvents(element: RefObject<MillPlayerElement | null>, latest: RefObject<MillPlayerProps>): void {
  useEffect(() => {
    const ending = new AbortController()
    for (const name of names)
      element.current?.addEventListener(
        name,
        (event) => handlerOf(latest.current, name)?.((event as CustomEvent).detail),
        { signal: ending.signal },
      )
    return () => ending.abort()
  }, [element, latest])
}

/** Loads the player, then sets the chapters. The player keeps them until the element is removed. */
function useChapters(element: RefObject<MillPlayerElement | null>, props: MillPlayerProps): void {
  const { baseUrl, chapters, onError } = props
  const list = Array.isArray(chapters) ? JSON.stringify(chapters) : undefined
  const failed = useRef(onError)
  useEffect(() => {
    failed.current = onError
  })
  useEffect(() => {
    let isMounted = true
    const set = () => {
      if (isMounted && list !== undefined) element.current?.setChapters(JSON.parse(list))
    }
    loadPlayer(baseUrl).then(set, (error: Error) => {
      if (isMounted) failed.current?.({ code: 'network', message: error.message })
    })
    return () => {
      isMounted = false
    }
  }, [element, baseUrl, list])
}
