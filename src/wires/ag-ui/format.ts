import type { Format } from '../format.ts'
import { protocolFormat } from '../protocol-format.ts'
import { isAgUiEvent } from './event-type.ts'

/** AG-UI: the events of any server. */
export const agUiFormat: Format<'ag-ui'> = /* @__PURE__ */ protocolFormat({
  name: 'ag-ui',
  inputs: 'AG-UI (the events of any server, one per line or as it sends them)',
  isMessage: isAgUiEvent,
})
