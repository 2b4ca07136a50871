{{- define "broadgauge.labels" -}}
app.kubernetes.io/name: broadgauge
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "broadgauge.selector" -}}
app.kubernetes.io/name: broadgauge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /*
With an Ingress: where browsers find us, or cookies would lack Secure, and that it tells who calls, or all would share one
bucket of sign-ins. What the operator has set goes before it.
*/ -}}
{{- define "broadgauge.settings" -}}
{{- $ofIngress := dict }}
{{- with .Values.ingress }}
{{- if .enabled }}
{{- $address := printf "%s://%s" (.tlsSecret | empty | ternary "http" "https") .host }}
{{- $ofIngress = dict "BROADGAUGE_DATA_BASE_URL" $address "BROADGAUGE_TRUST_PROXY" "true" }}
{{- end }}
{{- end }}
{{- $settings := merge (dict) .Values.settings $ofIngress }}
{{- if contains "*" (get $settings "BROADGAUGE_DATA_BASE_URL") }}
{{- fail "ingress.host has a *: set settings.BROADGAUGE_DATA_BASE_URL to the address people use" }}
{{- end -}}
BROADGAUGE_DRAIN_SECONDS: {{ .Values.drainSeconds | quote }}
{{- range $name, $value := $settings }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* Settings are read once, at the start: others are another pod. */ -}}
{{- define "broadgauge.checksum" -}}
checksum/settings: {{ include "broadgauge.settings" . | sha256sum }}
{{- end }}

{{- define "broadgauge.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* What every pod has in common: no root, no rights, nothing to write to. */ -}}
{{- define "broadgauge.pod" -}}
automountServiceAccountToken: false
# Otherwise a Service called broadgauge gives every pod a BROADGAUGE_PORT, and settings that do not exist.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "broadgauge.container" -}}
image: {{ include "broadgauge.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{- end }}
