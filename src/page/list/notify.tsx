import { type ReactNode, useEffect, useRef, useState } from 'react'
import { keepChoice, keptChoice } from '../session/kept.ts'
import type { ListEntry } from './entry.ts'
import { statusGroupOf } from './filter.ts'

/** A switch for notifications of the browser: a session waits for the person or has failed while the page is out of view. */
export function Notify({ entries }: { readonly entries: readonly ListEntry[] }): ReactNode {
  const [isOn, setIsOn] = useState(() => isAllowed() && keptChoice('localStorage', 'notify') === 'on')
  const before = useRef<ReadonlyMap<string, string | undefined>>(new Map())
  useEffect(() => {
    const known = before.current
    before.current = new Map(entries.map((entry) => [entry.id, newsOf(entry)]))
    if (!isOn || document.visibilityState === 'visible') return
    for (const entry of entries) {
      const news = newsOf(entry)
      // A session that the list has found just now may have failed long ago.
      if (news !== undefined && known.has(entry.id) && known.get(entry.id) !== news) show(entry, news)
    }
  }, [entries, isOn])
  if (typeof Notification === 'undefined') return null
  const toggle = async () => {
    const next = !isOn && (await Notification.requestPermission()) === 'granted'
    keepChoice('localStorage', 'notify', next ? 'on' : 'off')
    setIsOn(next)
  }
  return (
    <button type="button" aria-pressed={isOn} onClick={() => void toggle()}>
      Notify me
    </button>
  )
}

function isAllowed(): boolean {
  return typeof Notification !== 'undefined' && Notification.permission === 'granted'
}

function newsOf(entry: ListEntry): string | undefined {
  const group = statusGroupOf(entry)
  if (group === 'waiting') return `Needs you: ${entry.reason ?? ''}`
  return group === 'failed' ? `Failed: ${entry.reason ?? ''}` : undefined
}

function show({ id, title }: ListEntry, body: string): void {
  const notification = new Notification(title, { body, tag: id })
  notification.addEventListener('click', () => {
    window.focus()
    location.href = id
  })
}
