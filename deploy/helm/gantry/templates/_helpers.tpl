{{- define "gantry.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "gantry.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gantry.labels" -}}
{{ include "gantry.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* The configuration file: what the values say, with what only the chart can know. */}}
{{- define "gantry.config" -}}
{{- $server := dict "host" "0.0.0.0" "port" 7332 "drainDelay" .Values.drainDelay -}}
{{- if .Values.ingress.enabled -}}
{{- $_ := set $server "publicUrl" (printf "%s://%s" (ternary "https" "http" (gt (len .Values.ingress.tls) 0)) .Values.ingress.host) -}}
{{- end -}}
{{- if include "gantry.isMany" . -}}
{{- $cluster := dict "host" "0.0.0.0" "port" 7333 "address" (printf "%s://${env:POD_IP}:7333" (ternary "https" "http" (ne .Values.clusterTls.secretName ""))) -}}
{{- if .Values.clusterTls.secretName -}}
{{- $_ := set $cluster "tls" (dict "cert" "/etc/gantry-cluster/tls.crt" "key" "/etc/gantry-cluster/tls.key" "ca" "/etc/gantry-cluster/ca.crt" "name" .Values.clusterTls.name) -}}
{{- end -}}
{{- $_ := set $server "cluster" $cluster -}}
{{- end -}}
{{- $inside := list (include "gantry.name" .) (printf "%s.%s" (include "gantry.name" .) .Release.Namespace) (printf "%s.%s.svc" (include "gantry.name" .) .Release.Namespace) (printf "%s.%s.svc.cluster.local" (include "gantry.name" .) .Release.Namespace) -}}
{{- $own := default (dict) .Values.config.server -}}
{{- $_ := set $server "allowedHosts" (concat $inside (default (list) $own.allowedHosts)) -}}
{{- toYaml (merge (dict "stateDir" "/var/lib/gantry" "server" (merge $server $own)) .Values.config) -}}
{{- end }}

{{- define "gantry.isMany" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}true{{ end -}}
{{- end }}

{{- define "gantry.checks" -}}
{{- $many := include "gantry.isMany" . -}}
{{- if and $many (not (dig "store" "redis" "" .Values.config)) -}}
{{- fail "More than one replica needs a store that all of them reach: set config.store.redis (docs/scaling.md)." -}}
{{- end -}}
{{- if and $many .Values.persistence.enabled -}}
{{- fail "persistence is for one replica: a volume cannot be shared. Several replicas keep what lasts in config.store.redis." -}}
{{- end -}}
{{- if and $many (not (dig "server" "sealingKeys" "" .Values.config)) -}}
{{- fail "More than one replica needs the same keys: set config.server.sealingKeys to a secret that all of them have." -}}
{{- end -}}
{{- end }}
