import type { ReactNode } from 'react'
import { type ShownStatus, STATUS_WORDS } from '../../core/selectors/status.ts'

/** A dot in the colour of the status, with its name, because not everybody sees colours. */
export function StatusMark({ status }: { readonly status: ShownStatus }): ReactNode {
  return <span className={`status ${status}`}>{STATUS_WORDS[status]}</span>
}
