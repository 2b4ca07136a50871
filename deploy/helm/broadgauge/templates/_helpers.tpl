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
An Ingress tells who calls and whether by HTTPS: not believed, all would share one bucket of sign-ins, and cookies lack Secure.
What the operator has set goes before it.
*/ -}}
{{- define "broadgauge.settings" -}}
{{- $ofIngress := .Values.ingress.enabled | ternary (dict "BROADGAUGE_TRUST_PROXY" "true") dict -}}
BROADGAUGE_DRAIN_SECONDS: {{ .Values.drainSeconds | quote }}
{{- range $name, $value := merge (dict) .Values.settings $ofIngress }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* Settings are read once, at the start: others are another pod. */ -}}
{{- define "broadgauge.checksum" -}}
checksum/settings: {{ include "broadgauge.settings" . | sha256sum }}
{{- end }}

{{- /*
Other settings are another ConfigMap: a pod of before that starts again amid an upgrade reads the ones it knows, and would refuse
those of the new version.
*/ -}}
{{- define "broadgauge.settingsName" -}}
{{ .Release.Name }}-settings-{{ include "broadgauge.checksum" . | trunc -10 }}
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
