import * as acp from '../src/acp.ts'
import * as agUi from '../src/ag-ui.ts'
import * as conversations from '../src/conversations/index.ts'
import * as identity from '../src/identity/index.ts'
import * as core from '../src/index.ts'
import * as lineage from '../src/lineage/index.ts'
import * as parity from '../src/parity/index.ts'
import * as aiSdk from '../src/sinks/ai-sdk/index.ts'
import * as atif from '../src/sinks/atif/index.ts'
import * as otel from '../src/sinks/otel/index.ts'
import * as writers from '../src/sinks/writers/index.ts'
import * as sync from '../src/sync/index.ts'
import * as testing from '../src/testing/index.ts'
import * as claude from '../src/wires/claude/index.ts'
import * as cline from '../src/wires/cline/index.ts'
import * as codex from '../src/wires/codex/index.ts'
import * as copilot from '../src/wires/copilot/index.ts'
import * as gemini from '../src/wires/gemini/index.ts'
import * as kimi from '../src/wires/kimi/index.ts'
import * as opencode from '../src/wires/opencode/index.ts'
import * as pi from '../src/wires/pi/index.ts'
import * as qwen from '../src/wires/qwen/index.ts'

type Everything = typeof core &
  typeof claude &
  typeof opencode &
  typeof codex &
  typeof pi &
  typeof copilot &
  typeof gemini &
  typeof kimi &
  typeof qwen &
  typeof cline &
  typeof acp &
  typeof otel &
  typeof writers &
  typeof atif &
  typeof aiSdk &
  typeof agUi &
  typeof parity &
  typeof identity &
  typeof lineage &
  typeof conversations &
  typeof sync &
  typeof testing

/** Every value that a program can import, except the React hooks and the arbitraries. */
export const everything: Everything = {
  ...core,
  ...claude,
  ...opencode,
  ...codex,
  ...pi,
  ...copilot,
  ...gemini,
  ...kimi,
  ...qwen,
  ...cline,
  ...acp,
  ...otel,
  ...writers,
  ...atif,
  ...aiSdk,
  ...agUi,
  ...parity,
  ...identity,
  ...lineage,
  ...conversations,
  ...sync,
  ...testing,
}
