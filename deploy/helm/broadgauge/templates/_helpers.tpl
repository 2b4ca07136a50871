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
With an Ingress, the service must trust the proxy's headers. Otherwise all callers would share the rate limits of one address
at sign-in, and cookies would lack the attribute Secure. A value that the operator has set takes precedence.
*/ -}}
{{- define "broadgauge.settings" -}}
{{- $ofIngress := .Values.ingress.enabled | ternary (dict "BROADGAUGE_TRUST_PROXY" "true") dict -}}
BROADGAUGE_SHUTDOWN_DELAY_SECONDS: {{ .Values.shutdownDelaySeconds | quote }}
BROADGAUGE_DRAIN_SECONDS: {{ .Values.drainSeconds | quote }}
{{- range $name, $value := merge (dict) .Values.settings $ofIngress }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{- /* A pod reads its settings only at start. So a change of the settings must change this checksum, which starts new pods. */ -}}
{{- define "broadgauge.checksum" -}}
checksum/settings: {{ include "broadgauge.settings" . | sha256sum }}
{{- end }}

{{- /*
Changed settings get a new ConfigMap. If an old pod restarts during an upgrade, it still reads its own settings. It would refuse
settings of the new version that it does not know.
*/ -}}
{{- define "broadgauge.settingsName" -}}
{{ .Release.Name }}-settings-{{ include "broadgauge.checksum" . | trunc -10 }}
{{- end }}

{{- define "broadgauge.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Every pod has these fields: it does not run as root, has no privileges, and has a read-only file system. */ -}}
{{- define "broadgauge.pod" -}}
automountServiceAccountToken: false
# Without this, Kubernetes sets BROADGAUGE_PORT and other unknown settings in every pod if there is a Service named broadgauge.
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
