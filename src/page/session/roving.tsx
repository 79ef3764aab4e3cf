import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'

interface RovingProps {
  readonly className?: string
  readonly role?: 'tablist' | 'toolbar' | 'group'
  readonly label: string
  readonly children: ReactNode
}

const STOPS = 'button, summary'

/** Buttons that are one stop of the Tab key together. The arrow keys, Home and End move between them. */
export function Roving({ className, role = 'group', label, children }: RovingProps): ReactNode {
  const root = useRef<HTMLDivElement>(null)
  useOneStop(root)
  const onKeyDown = (event: KeyboardEvent): void => {
    const stops = stopsIn(root.current)
    const at = stops.findIndex((stop) => stop.matches(':focus'))
    const next = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1 }[event.key]
    const target = event.key === 'Home' ? 0 : event.key === 'End' ? stops.length - 1 : next
    if (target === undefined) return
    event.preventDefault()
    stops[target]?.focus()
  }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles can have a name
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the buttons in it
    <div ref={root} className={className} role={role} aria-label={label} onKeyDown={onKeyDown}>
      {children}
    </div>
  )
}

function stopsIn(root: HTMLElement | null): readonly HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>(STOPS) ?? [])]
}

/** The stop is the focused button, or else the one of the current place, or the first. Buttons come and go by themselves. */
function useOneStop(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = root
    if (!current) return
    const mark = (): void => {
      const stops = stopsIn(current)
      const stop =
        stops.find((each) => each === document.activeElement) ??
        stops.find((each) => each.matches('[aria-current], [aria-selected="true"]')) ??
        stops[0]
      for (const each of stops) each.tabIndex = each === stop ? 0 : -1
    }
    mark()
    const observer = new MutationObserver(mark)
    const attributeFilter = ['aria-current', 'aria-selected']
    observer.observe(current, { childList: true, subtree: true, attributes: true, attributeFilter })
    current.addEventListener('focusin', mark)
    return () => {
      observer.disconnect()
      current.removeEventListener('focusin', mark)
    }
  }, [root])
}
