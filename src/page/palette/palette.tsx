import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { onKeys } from '../session/shortcuts.ts'
import { matchingItems, type PaletteItem } from './palette-item.ts'

interface PaletteProps {
  /** Returns what there is to choose, when the person opens the palette. */
  readonly itemsOf: () => readonly PaletteItem[]
  /** The text in which the words are searched. */
  readonly label: string
}

/** Ctrl+K opens a field that finds the places and the commands of a page. Escape closes it, and the focus returns. */
export function Palette({ itemsOf, label }: PaletteProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const [items, setItems] = useState<readonly PaletteItem[]>()
  const open = (): void => {
    setItems(itemsOf())
    dialog.current?.showModal()
  }
  useEffect(() => onKeys({ 'Ctrl+k': () => (dialog.current?.open ? dialog.current.close() : open()) }))
  const choose = (item: PaletteItem): void => {
    dialog.current?.close()
    item.run()
  }
  return (
    <>
      <button type="button" title={`${label} (Ctrl K)`} onClick={open}>
        Go to …
      </button>
      {/* A part of the page that a narrow screen hides would hide it too. */}
      {createPortal(
        // biome-ignore lint/a11y/useKeyWithClickEvents: the key for it is Escape
        <dialog
          ref={dialog}
          className="palette"
          aria-label="Go to"
          onClose={() => setItems(undefined)}
          onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
        >
          {items && <Choice items={items} label={label} onChoose={choose} />}
        </dialog>,
        document.body,
      )}
    </>
  )
}

/** More would be too many to look at. */
const MOST_OPTIONS = 60

interface ChoiceProps {
  readonly items: readonly PaletteItem[]
  readonly label: string
  readonly onChoose: (item: PaletteItem) => void
}

/** The focus stays in the field. The arrow keys move the mark, and Enter chooses. */
function Choice({ items, label, onChoose }: ChoiceProps): ReactNode {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const found = useMemo(() => matchingItems(items, query), [items, query])
  const shown = found.slice(0, MOST_OPTIONS)
  const optionId = (index: number): string => `${id} ${index}`
  useEffect(() => {
    document.getElementById(`${id} ${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  const onKeyDown = (event: KeyboardEvent): void => {
    const item = shown[at]
    const next = nextOption(event.key, at, shown.length)
    if (next !== undefined) setAt(next)
    else if (event.key === 'Enter' && item) onChoose(item)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        ref={field}
        type="text"
        role="combobox"
        dir="auto"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? optionId(at) : undefined}
        autoComplete="off"
        placeholder={label}
        value={query}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setQuery(target.value)
          setAt(0)
        }}
      />
      <div role="listbox" id={id} tabIndex={-1} aria-label="Choices">
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={optionId(index)}
            role="option"
            id={optionId(index)}
            tabIndex={-1}
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(item)}
          >
            <bdi className="palette-text">{item.text}</bdi>
            {item.hint && <bdi className="palette-hint">{item.hint}</bdi>}
            <span className="palette-kind">{item.kind}</span>
          </div>
        ))}
      </div>
      <p className="palette-count" role="status">
        {found.length === 0 ? 'Nothing has these words.' : `${shown.length} of ${items.length}`}
      </p>
    </>
  )
}

/** Returns the option to which a key moves the mark. Behind the last one is the first. */
function nextOption(key: string, at: number, count: number): number | undefined {
  const by = { ArrowDown: 1, ArrowUp: count - 1 }[key]
  return by === undefined || count === 0 ? undefined : (at + by) % count
}
