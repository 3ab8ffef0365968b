/**
 * What works without the gateway but not through it. A server without the newer era cannot be tried by a newer client
 * without the gateway: what it can do for older clients is then what newer ones must get.
 */
export function ourFaults({ directOlder, directNewer, older, newer, clientDirect, client }) {
  const pairs = [
    ['older clients', directOlder, older],
    ['newer clients', hasConnected(directNewer) ? directNewer : directOlder, newer],
    ...(client ? [['its client', clientDirect, client]] : []),
  ]
  return pairs.flatMap(([view, without, through]) =>
    Object.keys({ ...without.found, ...through.found })
      .filter((feature) => without.found[feature] === 'yes' && through.found[feature] !== 'yes')
      .map((feature) => `${view}: ${feature}: ${through.found[feature] ?? through.found.connect}`),
  )
}

const hasConnected = ({ revision }) => revision !== ''
