import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How often the timeline is wider than its box. */
export const ZOOMS: readonly number[] = [1, 2, 4, 8, 16]

interface Zoomed<Box extends HTMLElement> {
  /** The ref of the box that scrolls. */
  readonly box: RefObject<Box | null>
  readonly zoom: number
  readonly zoomTo: (zoom: number) => void
}

/** Makes the content of a box wider. The bar with the focus stays where it is, or else the middle. */
export function useZoom<Box extends HTMLElement>(): Zoomed<Box> {
  const box = useRef<Box>(null)
  const [zoom, setZoom] = useState(1)
  const held = useRef<HeldPlace>(undefined)
  const zoomTo = useCallback((next: number, clientX?: number) => {
    held.current = box.current ? placeIn(box.current, clientX) : undefined
    setZoom(next)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another zoom is another width
  useLayoutEffect(() => {
    if (!box.current || !held.current) return
    const { left, width } = trackIn(box.current)
    box.current.scrollLeft += left + held.current.at * width - held.current.x
  }, [zoom])
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return
      event.preventDefault()
      zoomTo(nextZoom(zoom, event.deltaY < 0 ? 1 : -1), event.clientX)
    }
    const { current } = box
    // A listener of React is passive, and the browser would zoom the page.
    current?.addEventListener('wheel', onWheel, { passive: false })
    return () => current?.removeEventListener('wheel', onWheel)
  }, [zoom, zoomTo])
  return { box, zoom, zoomTo }
}

/** Returns the zoom after or before this one; the same one at the end. */
export function nextZoom(zoom: number, by: 1 | -1): number {
  return ZOOMS[ZOOMS.indexOf(zoom) + by] ?? zoom
}

/** A place that stays where it is. */
interface HeldPlace {
  /** Its part of the track's width. */
  readonly at: number
  /** Its place in the window, in CSS pixels. */
  readonly x: number
}

function placeIn(box: HTMLElement, clientX?: number): HeldPlace {
  const track = trackIn(box)
  const focused = box.querySelector('.segment:focus')?.getBoundingClientRect().left
  const { left, width } = box.getBoundingClientRect()
  const x = clientX ?? focused ?? left + width / 2
  return { at: (x - track.left) / track.width, x }
}

/** The names beside the track keep their width. */
function trackIn(box: HTMLElement): DOMRect {
  return (box.querySelector('.lane-track') ?? box).getBoundingClientRect()
}
