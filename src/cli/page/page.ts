import { readFile } from 'node:fs/promises'

/** Returns the HTML of the page. The build puts it beside the command line. */
export function readPage(): Promise<string> {
  return readFile(new URL('./page.html', import.meta.url), 'utf8')
}

/** Returns the content security policy of the page: its own script and style run, and nothing else. */
export function contentSecurityPolicy(page: string): string {
  const [, policy = "default-src 'none'"] = POLICY.exec(page) ?? []
  return policy
}

/** The build writes the policy, and it has no quotes but single ones. */
const POLICY = /<meta http-equiv="content-security-policy" content="([^"]*)">/
