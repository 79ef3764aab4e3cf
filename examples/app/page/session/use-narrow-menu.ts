import { useCallback, useState } from 'react'

/** On a narrow page, the parts beside the conversation are a menu. On a wide page they are always in view. */
export function useNarrowMenu(): { readonly isMenuOpen: boolean; readonly toggleMenu: () => void } {
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const toggleMenu = useCallback(() => setIsMenuOpen((isOpen) => !isOpen), [])
  return { isMenuOpen, toggleMenu }
}
