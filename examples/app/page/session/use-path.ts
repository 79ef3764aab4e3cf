import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { relativePath } from '../../../../src/selectors/relative-path.ts'

/** Returns the path from the working folder of the session, if it is in that folder. */
export function usePath(path: string): string {
  return relativePath(path, useSession(folderOf))
}

function folderOf({ session }: SessionConversationState): string | undefined {
  return session.cwd
}
