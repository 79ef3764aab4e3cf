import * as acp from '../src/entries/acp.ts'
import * as agUi from '../src/entries/ag-ui.ts'
import * as aiSdk from '../src/entries/ai-sdk.ts'
import * as atif from '../src/entries/atif.ts'
import * as claude from '../src/entries/claude.ts'
import * as cline from '../src/entries/cline.ts'
import * as codex from '../src/entries/codex.ts'
import * as conversations from '../src/entries/conversations.ts'
import * as copilot from '../src/entries/copilot.ts'
import * as gemini from '../src/entries/gemini.ts'
import * as identity from '../src/entries/identity.ts'
import * as core from '../src/entries/index.ts'
import * as kimi from '../src/entries/kimi.ts'
import * as lineage from '../src/entries/lineage.ts'
import * as opencode from '../src/entries/opencode.ts'
import * as otel from '../src/entries/otel.ts'
import * as parity from '../src/entries/parity.ts'
import * as pi from '../src/entries/pi.ts'
import * as qwen from '../src/entries/qwen.ts'
import * as sourceKit from '../src/entries/source-kit.ts'
import * as sync from '../src/entries/sync.ts'
import * as testing from '../src/entries/testing.ts'
import * as writers from '../src/entries/writers.ts'

type Everything = typeof core &
  typeof sourceKit &
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
  ...sourceKit,
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
