/** The greatest number that can be read in an icon. */
const MOST = 9

/** Shows in the icon of the tab how many sessions need the person. */
export function showTabIcon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const href = `data:image/svg+xml,${encodeURIComponent(svgOf(count))}`
  if (link && link.href !== href) link.href = href
}

/** Browsers show the colours on light and on dark tabs. */
function svgOf(count: number): string {
  const [colour, mark] =
    count === 0
      ? ['#2a8a80', '<path d="M9 8h14v5H14v3h7v5h-7v4H9z" fill="#fff"/>']
      : ['#8a4fd0', `<text x="16" y="24" ${FONT} fill="#fff">${count > MOST ? '9+' : count}</text>`]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/>${mark}</svg>`
}

const FONT = 'font-family="system-ui,sans-serif" font-weight="700" font-size="22" text-anchor="middle"'
