import { type MouseEvent, useCallback, useState } from 'react'

interface NarrowMenu {
  readonly isMenuOpen: boolean
  readonly toggleMenu: () => void
  /** Closes the menu after a click on a place of the session, so that the reader sees the place. */
  readonly closeAfterChoice: (event: MouseEvent) => void
}

const PLACES = '.agent, .prompts button, .hits button, .waiting-button, .changed-files .more'

/** On a narrow page, the parts beside the conversation are a menu. On a wide page they are always in view. */
export function useNarrowMenu(): NarrowMenu {
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const toggleMenu = useCallback(() => setIsMenuOpen((isOpen) => !isOpen), [])
  const closeAfterChoice = useCallback(({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest(PLACES)) setIsMenuOpen(false)
  }, [])
  return { isMenuOpen, toggleMenu, closeAfterChoice }
}
