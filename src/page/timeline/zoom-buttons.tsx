import type { KeyboardEvent, ReactNode } from 'react'
import { nextZoom } from './use-zoom.ts'

interface ZoomProps {
  readonly zoom: number
  readonly zoomTo: (zoom: number) => void
}

/** The buttons that make the timeline wider and narrower. */
export function ZoomButtons({ zoom, zoomTo }: ZoomProps): ReactNode {
  return (
    <p className="zoom-buttons">
      <button
        type="button"
        aria-label="Zoom out"
        title="Zoom out ( − )"
        disabled={nextZoom(zoom, -1) === zoom}
        onClick={() => zoomTo(nextZoom(zoom, -1))}
      >
        −
      </button>
      <span role="status" aria-label={`Zoom ${zoom}`}>
        {zoom}×
      </span>
      <button
        type="button"
        aria-label="Zoom in"
        title="Zoom in ( + )"
        disabled={nextZoom(zoom, 1) === zoom}
        onClick={() => zoomTo(nextZoom(zoom, 1))}
      >
        +
      </button>
    </p>
  )
}

/** `+` and `-` zoom, and `0` shows everything. The keys with Ctrl are the browser's. */
export function zoomByKey(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  zoom: number,
  zoomTo: (zoom: number) => void,
): void {
  if (ctrlKey || metaKey) return
  if (key === '+' || key === '=') zoomTo(nextZoom(zoom, 1))
  if (key === '-') zoomTo(nextZoom(zoom, -1))
  if (key === '0') zoomTo(1)
}
