/** Single keys disturb people who dictate, so the help turns them off (WCAG 2.1.4). */
let areOn = true

export function setShortcuts(isOn: boolean): void {
  areOn = isOn
}

type KeyActions = Readonly<Record<string, () => void>>

/** Calls an action when its key is pressed, such as `n` or `Ctrl+f`. A field takes keys without `Ctrl`. Returns a function that ends it. */
export function onKeys(actions: KeyActions): () => void {
  const byKey = new Map(Object.entries(actions))
  const onKeyDown = (event: KeyboardEvent): void => {
    const isControl = event.ctrlKey || event.metaKey
    const action = byKey.get(isControl ? `Ctrl+${event.key}` : event.key)
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    if (!action || !areOn || event.altKey || (isTyping && !isControl)) return
    event.preventDefault()
    action()
  }
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}
