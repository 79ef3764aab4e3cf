import { useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Returns to the place of the list when the reader comes back to it, once all rows are known. The browser does it by
 * itself only for a page that is whole at once.
 */
export function useKeptScroll(isComplete: boolean): void {
  const isRestored = useRef(false)
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const keep = () => history.replaceState({ scrollY: window.scrollY }, '')
    window.addEventListener('pagehide', keep)
    return () => window.removeEventListener('pagehide', keep)
  }, [])
  useLayoutEffect(() => {
    if (!isComplete || isRestored.current) return
    isRestored.current = true
    const { scrollY } = Object(history.state)
    // The list has its height in the next frame.
    if (typeof scrollY === 'number' && window.scrollY === 0)
      requestAnimationFrame(() => window.scrollTo({ top: scrollY, behavior: 'instant' }))
  }, [isComplete])
}
