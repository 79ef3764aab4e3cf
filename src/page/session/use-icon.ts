import type { SessionStatus } from 'agentfold'
import { useEffect } from 'react'

/** The colours are those of the light page. A browser shows them on light and on dark tabs. */
const COLOURS: Readonly<Record<SessionStatus, string>> = {
  idle: '#8a857c',
  running: '#d08a00',
  background: '#d08a00',
  waiting: '#8a4fd0',
  finished: '#2a8a80',
  interrupted: '#d08a00',
  failed: '#c8362c',
}

/** Shows the status of the session in the icon of the tab: a disc, or a ring while it runs. A tab is found by it among twenty. */
export function useIcon(status: SessionStatus): void {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon) icon.href = `data:image/svg+xml,${encodeURIComponent(svgOf(status))}`
  }, [status])
}

function svgOf(status: SessionStatus): string {
  const isRing = status === 'running' || status === 'background'
  const colour = COLOURS[status]
  const paint = isRing ? `fill="none" stroke="${colour}" stroke-width="4"` : `fill="${colour}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="${isRing ? 5 : 7}" ${paint}/></svg>`
}
