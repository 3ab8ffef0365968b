/**
 * What the guard runs. It reads `+ pid` and `- pid` lines, each naming the leader of a process group and
 * session of its own. Its input ends when the process that writes them ends, however that comes about; what is
 * still registered then is stopped, so that the trees hold still while they are walked, and ended: first by
 * the end of its input (which it has seen as well), then by SIGTERM, then by SIGKILL.
 *
 * A shell, because it costs a millisecond and a megabyte where a second Node would cost forty of each. It uses
 * builtins, `sleep` and /proc; `ps` only where there is no /proc, since small images lack it. Zombies count as
 * gone: in a container nobody may ever wait for them. No here-documents: some shells need a writable disk for them.
 */
export const SHELL_GUARD: string = `
trap '' HUP INT TERM
roots=' '
while read -r op pid; do
  case $op in
    +) roots="$roots$pid " ;;
    -) case $roots in *" $pid "*) roots="\${roots%%" $pid "*} \${roots#*" $pid "}" ;; esac ;;
  esac
done
case $roots in *[0-9]*) ;; *) exit 0 ;; esac
for root in $roots; do kill -s STOP -- "-$root"; done 2>/dev/null
table() {
  if [ -r /proc/self/stat ]; then
    for dir in /proc/[0-9]*; do
      { read -r stat <"$dir/stat"; } 2>/dev/null || continue
      set -- \${stat##*) }
      case $1 in Z | X) ;; *) echo "\${dir#/proc/}:$2:$4" ;; esac
    done
  else
    ps -A -o pid= -o ppid= -o pgid= -o state= | while read -r pid parent group state; do
      case $state in Z*) ;; *) echo "$pid:$parent:$group" ;; esac
    done
  fi
}
sessions=$roots
scan() {
  rows=$(table)
  alive=' '
  more=yes
  while [ $more ]; do
    more=
    for row in $rows; do
      pid=\${row%%:*}
      case $alive in *" $pid "*) continue ;; esac
      parent=\${row#*:}
      session=\${parent#*:}
      case $sessions in
        *" $session "*) ;;
        *) case $alive in *" \${parent%%:*} "*) sessions="$sessions$session " ;; *) continue ;; esac ;;
      esac
      alive="$alive$pid "
      more=yes
    done
  done
}
scan
for signal in CONT TERM KILL KILL KILL; do
  for pid in $alive; do kill -s $signal -- "$pid"; done 2>/dev/null
  for turn in 1 2 3; do
    sleep 0.2 || sleep 1
    scan
    case $alive in *[0-9]*) ;; *) exit 0 ;; esac
  done
done
`

/** The same for Windows, and for images without a shell. `taskkill /T` walks the tree by itself. */
export const NODE_GUARD: string = String.raw`
const { execFileSync } = require('node:child_process')
const roots = new Set()
let text = ''
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => {})
process.stdin.on('data', (chunk) => {
  const lines = (text + chunk).split('\n')
  text = lines.pop()
  for (const line of lines) {
    if (line[0] === '+') roots.add(Number(line.slice(2)))
    else roots.delete(Number(line.slice(2)))
  }
})
process.stdin.on('error', () => {})
process.stdin.on('close', () => {
  if (process.platform === 'win32') {
    setTimeout(() => {
      for (const pid of roots) {
        try { execFileSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }) } catch {}
      }
    }, roots.size > 0 ? 600 : 0)
    return
  }
  const signalAll = (signal) => {
    for (const pid of roots) try { process.kill(-pid, signal) } catch { roots.delete(pid) }
    return roots.size > 0
  }
  if (!signalAll(0)) return
  setTimeout(() => {
    if (signalAll('SIGTERM')) setTimeout(() => signalAll('SIGKILL'), 600)
  }, 600)
})
`
