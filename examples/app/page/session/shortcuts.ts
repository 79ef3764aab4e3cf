/** Single keys disturb people who dictate, so the help turns them off (WCAG 2.1.4). */
let areOn = true

export function setShortcuts(isOn: boolean): void {
  areOn = isOn
}

type KeyActions = Readonly<Record<string, () => void>>

/** Calls an action when its key is pressed, except in a field or with a modifier. Returns a function that ends it. */
export function onKeys(actions: KeyActions): () => void {
  const byKey = new Map(Object.entries(actions))
  const onKeyDown = (event: KeyboardEvent): void => {
    const action = byKey.get(event.key)
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    if (!action || !areOn || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
