import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { exampleNamed } from './examples.ts'
import { OpenedSession } from './opened-session.tsx'
import { type Opened, openFiles, openText, problem } from './opening.ts'
import { type ChosenFile, droppedFiles, readFiles } from './read-files.ts'
import { StartPage } from './start-page.tsx'
import { useDrops } from './use-drops.ts'

/** The site: a first screen that opens sessions, and the page of `agentfold serve` for the session that is open. */
export function Site(): ReactNode {
  const [{ opened, count }, setShown] = useState<{ readonly opened?: Opened; readonly count: number }>({
    count: 0,
  })
  const setOpened = useCallback((next: Opened) => {
    setShown((last) => ({ opened: next, count: last.count + 1 }))
  }, [])
  const [isOver, setOver] = useState(false)
  const show = useCallback(
    (next: Promise<Opened>) => {
      next
        .catch((error: unknown) => problem(error instanceof Error ? error.message : String(error)))
        .then(setOpened)
    },
    [setOpened],
  )
  const onChosen = useCallback(
    (chosen: Promise<readonly ChosenFile[]>) => show(chosen.then(readFiles).then(openFiles)),
    [show],
  )
  const onItems = useCallback((items: DataTransferItemList) => onChosen(droppedFiles(items)), [onChosen])
  const onText = useCallback((text: string) => show(openText(text)), [show])
  useDrops({ onOver: setOver, onItems, onText })
  useEffect(() => show(openAddress()), [show])
  return (
    <div className={isOver ? 'site over' : 'site'}>
      {opened?.type === 'session' ? (
        <OpenedSession key={count} {...opened} />
      ) : (
        opened && <StartPage opened={opened} onChosen={onChosen} onText={onText} onOpened={setOpened} />
      )}
    </div>
  )
}

/** Opens what the address names: an example, or the session after `#`. */
async function openAddress(): Promise<Opened> {
  const name = new URLSearchParams(location.search).get('example')
  if (name !== null) {
    const example = exampleNamed(name)
    return example ? openFiles(example.files) : problem(`There is no example ${name}.`)
  }
  return location.hash.startsWith('#session=') ? openText(location.href) : { type: 'start' }
}
