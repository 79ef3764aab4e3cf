import type { MouseEvent, ReactNode } from 'react'
import { useOpen } from './open-state.tsx'

interface DetailsProps {
  readonly id: string
  readonly summary: ReactNode
  readonly isOpenByDefault?: boolean
  /** Made when the details are open. */
  readonly children?: () => ReactNode
}

/** Details whose content is made when they open. They stay as they are while they are out of view. */
export function Details({ id, summary, isOpenByDefault = false, children }: DetailsProps): ReactNode {
  const [isOpen, toggle] = useOpen(id, isOpenByDefault)
  const onClick = (event: MouseEvent): void => {
    event.preventDefault()
    toggle()
  }
  return (
    <details open={isOpen}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary onClick={onClick}>{summary}</summary>
      {isOpen && children?.()}
    </details>
  )
}
